import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LoopbackRegistry, type RegistryPackage } from '../support/loopback-registry.js';
import { Workbench } from './workbench.js';

const json = (value: unknown): string => JSON.stringify(value);

function packageOf(name: string, version: string, files: Readonly<Record<string, string>>): RegistryPackage {
  const directory = mkdtempSync(join(tmpdir(), 'registry-package-'));
  try {
    for (const [path, text] of Object.entries({ ...files, 'package.json': json({ name, version }) })) {
      mkdirSync(dirname(join(directory, 'package', path)), { recursive: true });
      writeFileSync(join(directory, 'package', path), text);
    }
    return { name, version, tarball: execFileSync('tar', ['-cz', '-C', directory, 'package']) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** In place of pnpm: it installs nothing, and says how it was called and whether it can be changed. */
const PNPM = `
const fs = require('fs');
console.log('pnpm was called with ' + process.argv.slice(2).join(' '));
for (const work of [() => fs.writeFileSync(__filename, ''), () => fs.writeFileSync('/opt/package-manager/new', '')])
  try { work(); console.log('changed'); } catch (error) { console.log('not changed: ' + error.code); }
`;

const SOURCE = {
  'package.json': json({
    dependencies: { a: '1' },
    packageManager: 'pnpm@9.1.0',
    scripts: { build: 'pnpm run nothing && corepack enable && mkdir dist && echo built > dist/index.html' },
  }),
  'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
  // What the project says about registries is not for the package manager that others use, too.
  '.npmrc': 'registry=http://127.0.0.1:9/\nfetch-retries=0\n',
};

describe('the package manager of a build', () => {
  let registry: LoopbackRegistry;
  let bench: Workbench;

  beforeEach(async () => {
    registry = await new LoopbackRegistry(packageOf('pnpm', '9.1.0', { 'bin/pnpm.cjs': PNPM })).listen();
    bench = new Workbench({ allowedHosts: [new URL(registry.url).host], registry: registry.url });
  });
  afterEach(async () => {
    registry.close();
    await bench.close();
  });

  it('is fetched once in the version that the project names, and no build can change it', async () => {
    const settings = { framework: 'static' };
    const first = await bench.build(SOURCE, { settings });
    expect(first.files).toEqual({ 'index.html': 'built\n' });
    expect(first.log).toEqual(
      expect.arrayContaining([
        'system: Fetching pnpm 9.1.0 …',
        'system: $ pnpm install --frozen-lockfile',
        'stdout: pnpm was called with install --frozen-lockfile',
        'stdout: pnpm was called with run nothing',
        'stdout: not changed: EROFS',
      ]),
    );
    expect(first.log).not.toContain('stdout: changed');
    const second = await bench.build(SOURCE, { settings, projectId: 'prj_2', environment: { npm_config_x: 'y' } });
    expect(second.log).not.toContain('system: Fetching pnpm 9.1.0 …');
    expect(second.log).toContain('stdout: pnpm was called with install --frozen-lockfile');
    expect(registry.downloads).toBe(1);
  });

  it('that cannot be fetched is fetched when it is called, and the log says so', async () => {
    registry.delivers = 'missing';
    await expect(bench.build(SOURCE, { settings: { framework: 'static' } })).rejects.toMatchObject({
      code: 'install_failed',
    });
    expect(bench.log).toContain(
      'system: pnpm 9.1.0 could not be fetched in advance (E404). It is fetched when it is called.',
    );
    // A version that could not be fetched is not remembered.
    registry.delivers = 'whole';
    expect((await bench.build(SOURCE, { settings: { framework: 'static' } })).files).toEqual({
      'index.html': 'built\n',
    });
  });
});
