import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppTrees } from '../../src/modules/hosting/servers/app-trees.js';
import { Sites } from '../../src/modules/hosting/site/sites.js';
import { built, deploy, type Files } from '../support/hosting.js';
import { useApp } from '../support/test-app.js';
import { HostingSettings } from '../../src/modules/hosting/hosting.settings.js';

const app = useApp({ SANDBOX_ENABLED: 'false' });
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
