import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../support/test-app.js';

const CLIENT = join(__dirname, '../../client');
const TYPES = join(CLIENT, 'src/openapi.ts');

describe('the types of the client library', () => {
  const app = useApp();

  // `npm run client:types` runs this test with UPDATE_CLIENT_TYPES set, which brings them up to date instead.
  it('are those of the API: after a change of it, run `npm run client:types`', async () => {
    const { text: document } = await app.fetch('/api/v1/openapi.json');
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(CLIENT, 'scripts/generate-types.mjs')], {
      input: document,
      encoding: 'utf8',
      // More than the default would be cut off.
      maxBuffer: 64 * 1_048_576,
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    if (process.env['UPDATE_CLIENT_TYPES'] === '1') writeFileSync(TYPES, stdout);
    expect(readFileSync(TYPES, 'utf8')).toBe(stdout);
  });
});
