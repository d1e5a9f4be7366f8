/**
 * How fast code runs: `npm run bench:sandbox -- [layer|http|sessions] [--turns n] [--seconds n] [--cgroups auto|off]
 * [--cpu-weight n] [--url http://…]`. Without a name, all three; and whether it does the same as a local run, only by
 * its name: `npm run bench:sandbox -- agreement --directory D`. On a machine that has other work to do, the weight of 100
 * gives sandboxes the share of the cold starts beside them.
 */
import '../../scripts/on-pinned-node.mjs';
import { parseArgs } from 'node:util';

import { benchAgreement } from './agreement.mjs';
import { benchHttp } from './http.mjs';
import { benchLayer } from './layer.mjs';
import { benchSessions } from './sessions.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: 'string' },
    seconds: { type: 'string' },
    cgroups: { type: 'string' },
    'cpu-weight': { type: 'string' },
    url: { type: 'string' },
    directory: { type: 'string' },
  },
});
const { turns = 60, seconds = 4, cgroups, 'cpu-weight': cpuWeight, url, directory } = values;
const options = {
  turns: Number(turns),
  seconds: Number(seconds),
  ...(cgroups === undefined ? {} : { cgroups }),
  ...(cpuWeight === undefined ? {} : { cpuWeight: Number(cpuWeight) }),
  ...(url === undefined ? {} : { url }),
};

if (positionals.length === 0 || positionals.includes('layer')) await benchLayer(options);
if (positionals.length === 0 || positionals.includes('http')) await benchHttp(options);
if (positionals.length === 0 || positionals.includes('sessions')) await benchSessions(options);
if (positionals.includes('agreement')) {
  if (directory === undefined) throw new Error('agreement needs --directory D');
  await benchAgreement({ ...options, directory });
}
