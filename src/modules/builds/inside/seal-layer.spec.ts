import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(__dirname, 'seal-layer.cjs');

describe('the program that seals a layer', () => {
  let root: string;
  beforeEach(() => {
    root = join(mkdtempSync(join(tmpdir(), 'layer-')), 'layer');
    mkdirSync(join(root, 'inner'), { recursive: true });
    writeFileSync(join(root, 'inner/file'), 'text');
  });
  afterEach(() => {
    rmSync(join(root, '..'), { recursive: true });
  });

  function seal(bytes = 1_048_576, files = 10): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(process.execPath, [PROGRAM, root, String(bytes), String(files)], { encoding: 'utf8' });
  }
  const modeOf = (path: string): string => (statSync(join(root, path)).mode & 0o7777).toString(8);

  it('counts blocks of the disk, and leaves no bits but those of plain files and programs', () => {
    chmodSync(join(root, 'inner/file'), 0o600);
    writeFileSync(join(root, 'program'), '');
    chmodSync(join(root, 'program'), 0o6711);
    chmodSync(join(root, 'inner'), 0o1777);
    expect(seal()).toMatchObject({ status: 0, stdout: '{"bytes":8192,"files":3}\n' });
    expect([modeOf('inner'), modeOf('inner/file'), modeOf('program')]).toEqual(['755', '644', '755']);
  });

  it('keeps links inside', () => {
    symlinkSync('inner/file', join(root, 'link'));
    expect(seal().status).toBe(0);
  });

  it.each([
    ['up', '../..'],
    ['to a file beside', '../beside'],
    ['to the system', '/etc/passwd'],
    ['to nowhere', 'nothing'],
    ['to itself', 'link'],
  ])('refuses a link %s', (_, target) => {
    writeFileSync(join(root, '../beside'), '');
    symlinkSync(target, join(root, 'link'));
    expect(seal()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('leads out of the packages'),
    });
  });

  it('refuses an absolute link to a file inside, because the layer is elsewhere in a run', () => {
    symlinkSync(join(root, 'inner/file'), join(root, 'link'));
    expect(seal().status).toBe(1);
  });

  it('refuses a link in the place of the layer, and a layer that is not there', () => {
    rmSync(root, { recursive: true });
    expect(seal()).toMatchObject({ status: 1, stderr: 'Nothing was installed.\n' });
    symlinkSync('/etc', root);
    expect(seal()).toMatchObject({ status: 1, stderr: 'Nothing was installed.\n' });
  });

  it('refuses what is neither a file nor a directory', () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(seal()).toMatchObject({ status: 1, stderr: expect.stringContaining('neither a file nor a directory') });
  });

  it('refuses more bytes or files than allowed, also of a file with holes', () => {
    expect(seal(1_048_576, 1)).toMatchObject({ status: 1, stderr: 'The packages have more than 1 files.\n' });
    truncateSync(join(root, 'inner/file'), 2 * 1_048_576);
    expect(seal()).toMatchObject({ status: 1, stderr: 'The packages have more than 1 MiB.\n' });
  });
});
