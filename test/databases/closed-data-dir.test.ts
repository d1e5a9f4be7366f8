import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterHome } from '../../src/modules/databases/engine/own/cluster-home.js';
import { useApp } from '../support/test-app.js';

// Only as root do databases run as another user, who cannot pass through a directory of root's.
const asRoot = process.getuid?.() === 0 ? describe : describe.skip;

asRoot('a data directory that is missing, below one that is closed to others', () => {
  // Only its owner may pass through it.
  const parent = mkdtempSync(join(tmpdir(), 'closed-data-dir-'));
  const place = join(parent, 'data', 'databases');
  const app = useApp({ DATA_DIR: join(parent, 'data') }, 'all');
  afterAll(() => {
    rmSync(realpathSync(place), { recursive: true, force: true });
    rmSync(parent, { recursive: true, force: true });
  });

  it('has the databases where their servers reach them, with the certificate', async () => {
    expect(await app.get(ClusterHome).open()).toMatch(/^dbh_/);
    expect(lstatSync(place).isSymbolicLink()).toBe(true);
    expect(readdirSync(realpathSync(place))).toContain('wire-certificate.pem');
  });

  it('is itself not closed by what the service keeps in it', () => {
    expect(statSync(join(parent, 'data')).mode & 0o055).toBe(0o055);
  });
});
