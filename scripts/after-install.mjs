/**
 * The packages that bring the sandbox' Node link it as `node` where npm puts programs first, so that `npm start` and
 * `npm test` would run on it and not on the Node that the machine has. The sandbox finds its own by its package.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

rmSync(fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url)), { force: true });
