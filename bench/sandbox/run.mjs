/**
 * How fast code runs: `npm run bench:sandbox -- [layer|http] [--turns n] [--seconds n] [--cgroups auto|off] [--url
 * http://…]`. Without a name, both.
 */
import '../../scripts/on-pinned-node.mjs';
import { parseArgs } from 'node:util';

import { benchHttp } from './http.mjs';
import { benchLayer } from './layer.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: 'string' },
    seconds: { type: 'string' },
    cgroups: { type: 'string' },
    url: { type: 'string' },
  },
});
const { turns = 60, seconds = 4, cgroups, url } = values;
const options = {
  turns: Number(turns),
  seconds: Number(seconds),
  ...(cgroups === undefined ? {} : { cgroups }),
  ...(url === undefined ? {} : { url }),
};

if (positionals.length === 0 || positionals.includes('layer')) await benchLayer(options);
if (positionals.length === 0 || positionals.includes('http')) await benchHttp(options);
