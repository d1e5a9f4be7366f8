import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
  type Ecosystem,
  type LayerBounds,
  PackageInstallFailed,
  PackageLayersUnavailable,
  type PackageLock,
} from '../../src/modules/builds/package-layers.js';
import { NpmPackages } from '../support/npm-packages.js';
import { PackageIndex } from '../support/package-index.js';
import { Workbench } from './workbench.js';

const MEBIBYTE = 1_048_576;
const BOUNDS: LayerBounds = { bytes: 4 * MEBIBYTE, files: 100, allBytes: 64 * MEBIBYTE };
const SIGNAL = new AbortController().signal;

/** What each file of a layer is: its kind and mode, by its path. */
function listing(directory: string): Record<string, string> {
  const lines = execFileSync('find', ['.', '-mindepth', '1', '-printf', '%P\t%y%m\n'], {
    cwd: directory,
    encoding: 'utf8',
  });
  return Object.fromEntries(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t') as [string, string]),
  );
}

describe('layers of packages', () => {
  let registry: NpmPackages;
  let index: PackageIndex;
  let bench: Workbench;

  beforeAll(async () => {
    registry = await new NpmPackages([
      {
        name: 'left',
        version: '1.0.0',
        files: { 'index.js': 'module.exports = "left"' },
        dependencies: { right: '^1.0.0' },
      },
      { name: 'right', version: '1.0.0', files: { 'index.js': 'module.exports = "right"' } },
      { name: '@scope/inner', version: '2.0.0', files: { 'index.js': 'module.exports = "inner"' } },
      {
        name: 'scripted',
        version: '1.0.0',
        files: { 'index.js': 'module.exports = require("fs").existsSync(__dirname + "/ran")' },
        manifest: {
          scripts: { preinstall: 'touch ran', install: 'touch ran', postinstall: 'touch ran' },
          hasInstallScript: true,
        },
      },
      {
        name: 'links',
        version: '1.0.0',
        files: {
          'index.js': 'module.exports = 1',
          out: { link: '/etc/passwd' },
          up: { link: '../../../../..' },
          'set.js': { content: '#!/bin/sh\n', mode: 0o6755 },
        },
      },
      { name: 'huge', version: '1.0.0', files: { big: { content: Buffer.alloc(5 * MEBIBYTE), mode: 0o644 } } },
      {
        name: 'many',
        version: '1.0.0',
        files: Object.fromEntries(Array.from({ length: 120 }, (_, number) => [`f${number}`, ''])),
      },
      { name: 'git', version: '1.0.0', files: {}, dependencies: { x: 'git+https://git.example/x.git' } },
    ]).listen();
    index = await new PackageIndex([
      { name: 'one', version: '1.0', files: { 'one.py': 'NAME = "one"\n' }, requires: ['two>=1'] },
      { name: 'two', version: '1.5', files: { 'two/__init__.py': 'NAME = "two"\n' } },
      {
        name: 'direct',
        version: '1.0',
        files: { 'direct.py': '' },
        requires: ['two @ http://127.0.0.2:9/two-1.5-py3-none-any.whl'],
      },
    ]).listen();
    bench = new Workbench({ layerRegistries: { npm: registry.url, pip: index.url } });
  });
  afterAll(async () => {
    registry.close();
    index.close();
    await bench.close();
  });

  const lock = (ecosystem: Ecosystem, ...packages: string[]): Promise<PackageLock> =>
    bench.builds.layers.lock(ecosystem, packages, SIGNAL);
  async function layerOf(found: PackageLock, bounds = BOUNDS): Promise<string> {
    await bench.builds.layers.install(found, bounds, SIGNAL);
    const lease = await bench.builds.layers.lease(found);
    lease!.release();
    return lease!.directory;
  }

  it('have what npm resolves, installed once by its lock and readable by everybody', async () => {
    const found = await lock('npm', 'left@1.0.0', '@scope/inner@2.0.0');
    expect(await bench.builds.layers.lease(found)).toBeNull();
    const directory = await layerOf(found);
    expect(listing(directory)).toMatchObject({
      left: 'd755',
      'left/index.js': 'f644',
      'right/index.js': 'f644',
      '@scope/inner/index.js': 'f644',
    });
    // The same packages are the same lock, and so the same layer.
    expect(await lock('npm', '@scope/inner@2.0.0', 'left@1.0.0')).toEqual(found);
    expect(bench.left()).toEqual([]);
  });

  it('have another lock when something that the packages depend on has changed', async () => {
    const before = await lock('npm', 'left@1.0.0');
    registry.offer({ name: 'right', version: '1.0.1', files: { 'index.js': 'module.exports = "newer"' } });
    const after = await lock('npm', 'left@1.0.0');
    expect(after.text).not.toBe(before.text);
    expect(await layerOf(after)).not.toBe(await layerOf(before));
  });

  it('have wheels that pip resolves, with compiled modules', async () => {
    const found = await lock('pip', 'one==1.0');
    expect(found.text).toMatch(/^one==1\.0 --hash=sha256:[0-9a-f]{64}\ntwo==1\.5 --hash=sha256:[0-9a-f]{64}\n$/);
    expect(listing(await layerOf(found))).toMatchObject({
      'one.py': 'f644',
      'two/__init__.py': 'f644',
      __pycache__: 'd755',
    });
  });

  it('run no install script', async () => {
    const directory = await layerOf(await lock('npm', 'scripted@1.0.0'));
    expect(existsSync(join(directory, 'scripted/index.js'))).toBe(true);
    expect(existsSync(join(directory, 'scripted/ran'))).toBe(false);
  });

  it('have no links that lead out, and no bits that make programs another user', async () => {
    const found = listing(await layerOf(await lock('npm', 'links@1.0.0')));
    expect(found['links/set.js']).toBe('f755');
    expect(Object.values(found).filter((each) => !/^(?:d755|f644|f755)$/.test(each))).toEqual([]);
  });

  it.each([
    ['too large', 'huge@1.0.0', 'The packages have more than 4 MiB.'],
    ['too many files', 'many@1.0.0', 'The packages have more than 100 files.'],
  ])('are refused when they are %s', async (_, name, log) => {
    const found = await lock('npm', name);
    await expect(bench.builds.layers.install(found, BOUNDS, SIGNAL)).rejects.toMatchObject({ log });
    expect(await bench.builds.layers.lease(found)).toBeNull();
  });

  it.each([
    ['a package that does not exist', 'npm', 'nothing@1.0.0', /404|not found/i],
    ['a version that does not exist', 'npm', 'left@9.9.9', /ETARGET|No matching version/],
    ['a dependency that is not of the registry', 'npm', 'git@1.0.0', /git/],
    ['a package of Python that does not exist', 'pip', 'nothing==1.0', /No matching distribution found for nothing/],
    ['a dependency by address', 'pip', 'direct==1.0', /127\.0\.0\.2:9/],
  ] as const)('are refused for %s, with the words of the installer', async (_, ecosystem, name, words) => {
    const failed = lock(ecosystem, name);
    await expect(failed).rejects.toBeInstanceOf(PackageInstallFailed);
    await expect(failed).rejects.toMatchObject({ log: expect.stringMatching(words) as string });
  });

  it('are refused when the registry delivers other files than the lock names', async () => {
    const found = await lock('npm', 'right@1.0.0');
    const other = { ...found, text: found.text.replace(/sha512-[^"]{20}/, `sha512-${'A'.repeat(20)}`) };
    await expect(bench.builds.layers.install(other, BOUNDS, SIGNAL)).rejects.toMatchObject({
      log: expect.stringContaining('EINTEGRITY') as string,
    });
    const wheel = await lock('pip', 'two==1.5');
    const forged = { ...wheel, text: wheel.text.replace(/sha256:[0-9a-f]{8}/, 'sha256:00000000') };
    await expect(bench.builds.layers.install(forged, BOUNDS, SIGNAL)).rejects.toMatchObject({
      log: expect.stringContaining('DO NOT MATCH THE HASHES') as string,
    });
  });

  it('leave the shelf when nobody has used them and another needs the room, and stay while they are used', async () => {
    const small = { ...BOUNDS, allBytes: MEBIBYTE };
    const [one, other] = [await lock('npm', 'right@1.0.0'), await lock('pip', 'two==1.5')];
    const bench2 = new Workbench({ layerRegistries: { npm: registry.url, pip: index.url } });
    const { layers } = bench2.builds;
    try {
      await layers.install(one, small, SIGNAL);
      const lease = (await layers.lease(one))!;
      const age = (): Buffer => execFileSync('touch', ['-d', '1 hour ago', lease.directory]);
      age();
      await expect(layers.install(other, { ...small, allBytes: 45_056 }, SIGNAL)).rejects.toBeInstanceOf(
        PackageLayersUnavailable,
      );
      lease.release();
      age();
      await layers.install(other, { ...small, allBytes: 45_056 }, SIGNAL);
      expect(existsSync(lease.directory)).toBe(false);
    } finally {
      await bench2.close();
    }
  });
});
