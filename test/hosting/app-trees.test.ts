import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { Manifest } from '../../src/modules/hosting/ingest/manifest.js';
import { AppTrees } from '../../src/modules/hosting/servers/app-trees.js';
import { Sites } from '../../src/modules/hosting/site/sites.js';
import { built, deploy, type Files } from '../support/hosting.js';
import { useApp } from '../support/test-app.js';
import type { BlobStorage } from '../../src/platform/blobs/blob-storage.js';
import { HostingSettings } from '../../src/modules/hosting/hosting.settings.js';

const app = useApp();
const kept = (): string => join(app.settings.of(HostingSettings).serversDirectory, 'by-content');

/** The tree of a deploy with these files, and its id. */
async function treeOf(files: Files): Promise<{ deployId: string; tree: string }> {
  const { deployId } = await deploy(
    app,
    built(
      { 'server.js': '', ...files },
      { kind: 'server', framework: 'node', server: { command: ['node', 'server.js'], directory: '' } },
    ),
  );
  return { deployId, tree: await app.get(AppTrees).of(deployId, (await app.get(Sites).find(deployId))!.site.manifest) };
}

const packageOf = (): string => `a package ${randomBytes(16).toString('hex')}`;

describe('the files that servers run from', () => {
  it('are stored once for all deploys that share them', async () => {
    const text = packageOf();
    const one = await treeOf({ 'node_modules/a/index.js': text, 'app.js': 'one' });
    const other = await treeOf({ 'node_modules/b/index.js': text, 'app.js': 'other' });
    const [first, second] = [
      statSync(join(one.tree, 'node_modules/a/index.js')),
      statSync(join(other.tree, 'node_modules/b/index.js')),
    ];
    expect([first.ino, first.mode & 0o777]).toEqual([second.ino, 0o444]);
    expect(readFileSync(join(other.tree, 'node_modules/b/index.js'), 'utf8')).toBe(text);
    expect(readFileSync(join(one.tree, 'app.js'), 'utf8')).toBe('one');
    expect(readFileSync(join(other.tree, 'app.js'), 'utf8')).toBe('other');
  });

  it('are written again when incomplete', async () => {
    const text = packageOf();
    const { tree } = await treeOf({ 'a.js': text });
    chmodSync(join(tree, 'a.js'), 0o644);
    writeFileSync(join(tree, 'a.js'), text.slice(0, 5));
    const next = await treeOf({ 'a.js': text });
    expect(readFileSync(join(next.tree, 'a.js'), 'utf8')).toBe(text);
    expect(readFileSync(join((await treeOf({ 'a.js': text, 'b.js': 'b' })).tree, 'a.js'), 'utf8')).toBe(text);
  });

  it('are kept while a served deploy uses them', async () => {
    const [shared, alone] = [packageOf(), packageOf()];
    const stays = await treeOf({ 'a.js': shared });
    const goes = await treeOf({ 'a.js': shared, 'b.js': alone });
    const ino = statSync(join(goes.tree, 'b.js')).ino;
    const isKept = (): boolean => readdirSync(kept()).some((name) => statSync(join(kept(), name)).ino === ino);
    expect(isKept()).toBe(true);
    await app.get(AppTrees).removeAllBut((deployId) => Promise.resolve(deployId !== goes.deployId));
    expect(isKept()).toBe(false);
    expect(readFileSync(join(stays.tree, 'a.js'), 'utf8')).toBe(shared);
    expect(statSync(join(stays.tree, 'a.js')).nlink).toBe(2);
  });
});

describe('the tree of a manifest that nobody checked', () => {
  const directory = mkdtempSync(join(tmpdir(), 'app-trees-'));
  const content = 'content';
  const file = { sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
  const trees = new AppTrees(
    { serversDirectory: join(directory, 'servers') } as HostingSettings,
    { get: () => Promise.resolve(Readable.from([Buffer.from(content)])) } as unknown as BlobStorage,
  );
  let count = 0;
  const make = (files: readonly string[], links: Readonly<Record<string, string>>): Promise<string> =>
    trees.of(`dpl_${++count}`, {
      files: Object.fromEntries(files.map((path) => [path, file])),
      links,
    } as unknown as Manifest);
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('has its links as links', async () => {
    const tree = await make(['node_modules/.pnpm/b@1/b/index.js', 'packages/c/index.js'], {
      'node_modules/.pnpm/a@1/b': '../b@1/b',
      'node_modules/c': '../packages/c',
      'packages/c/self': '../..',
    });
    expect(readFileSync(join(tree, 'node_modules/.pnpm/a@1/b/index.js'), 'utf8')).toBe(content);
    expect(readFileSync(join(tree, 'packages/c/self/node_modules/c/index.js'), 'utf8')).toBe(content);
    expect(lstatSync(join(tree, 'node_modules/c')).isSymbolicLink()).toBe(true);
  });

  it('is not made when something leads outside, and never writes there', async () => {
    const outside = join(directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'untouched');
    const name = fc.constantFrom('a', 'b', 'outside', 'file');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const target = fc.oneof(
      fc
        .array(fc.oneof(name, fc.constantFrom('..', '..', '..', '.')), { minLength: 1, maxLength: 6 })
        .map((names) => names.join('/')),
      fc.constantFrom(outside, '../../outside', '/'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { maxLength: 5 }),
        fc.dictionary(path, target, { maxKeys: 5 }),
        async (files, links) => {
          const tree = await make(files, links).catch(() => undefined);
          expect(readdirSync(outside)).toEqual(['file']);
          expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('untouched');
          if (tree === undefined) return;
          for (const at of [...files, ...Object.keys(links)]) {
            const real = realOf(join(tree, at));
            expect(real === undefined || real === tree || real.startsWith(`${tree}/`)).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Undefined for a link that leads nowhere. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
