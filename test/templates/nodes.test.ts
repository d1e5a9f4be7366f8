import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodePrograms } from '../../src/platform/node-programs/node-programs.js';
import { FETCHED_RELEASES } from '../../src/platform/node-programs/node-releases.js';

jest.setTimeout(600_000);

describe('the releases of Node that are pinned', () => {
  const directory = mkdtempSync(join(tmpdir(), 'nodes-'));
  const programs = new NodePrograms({ directory });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(Object.entries(FETCHED_RELEASES))(
    'are what the registry delivers, and run: %s',
    async (line, { version }) => {
      const program = await programs.program(line, () => undefined);
      expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toBe(`v${version}\n`);
    },
  );

  it.each(
    Object.values(FETCHED_RELEASES).flatMap(({ version, integrity }) =>
      Object.entries(integrity).map(([arch, hash]) => ({ version, arch, hash })),
    ),
  )('have the hash of the registry: $version, $arch', ({ version, arch, hash }) => {
    const said = execFileSync('npm', ['view', `node-linux-${arch}@${version}`, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(said.trim()).toBe(hash);
  });
});
