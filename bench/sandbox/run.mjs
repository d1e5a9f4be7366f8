/**
 * How fast code runs: `npm run bench:sandbox -- [layer|http|sessions] [--turns n] [--seconds n] [--cgroups auto|off]
 * [--cpu-weight n]`. Without a name, all; the layer and HTTP in turns. Whether it does the same as a local run, only by
 * its name: `npm run bench:sandbox -- agreement --directory D`. On a machine that has other work to do, the weight of
 * 100 gives sandboxes the share of the cold starts beside them.
 */
import '../../scripts/on-pinned-node.mjs';
import { parseArgs } from 'node:util';

import { benchAgreement } from './agreement.mjs';
import { benchRuns } from './runs.mjs';
import { benchSessions } from './sessions.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: 'string' },
    seconds: { type: 'string' },
    cgroups: { type: 'string' },
    'cpu-weight': { type: 'string' },
    directory: { type: 'string' },
  },
});
const { turns = 60, seconds = 4, cgroups, 'cpu-weight': cpuWeight, directory } = values;
const options = {
  turns: Number(turns),
  seconds: Number(seconds),
  ...(cgroups === undefined ? {} : { cgroups }),
  ...(cpuWeight === undefined ? {} : { cpuWeight: Number(cpuWeight) }),
};

const isWanted = (name) => positionals.length === 0 || positionals.includes(name);
const [layer, http] = [isWanted('layer'), isWanted('http')];
if (layer || http) await benchRuns({ ...options, layer, http });
if (isWanted('sessions')) await benchSessions(options);
if (positionals.includes('agreement')) {
  if (directory === undefined) throw new Error('agreement needs --directory D');
  await benchAgreement({ ...options, directory });
}
