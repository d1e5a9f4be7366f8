import { posix } from 'node:path';
import fc from 'fast-check';
import { linkedPath, TreePaths } from './tree-paths.js';

describe('a link of a tree', () => {
  it.each([
    ['a', 'b', 'b'],
    ['a/b/c', '../x', 'a/x'],
    ['a/b/c', '../../x/y.js', 'x/y.js'],
    ['node_modules/app', '..', ''],
    ['a/b/c', '../..', ''],
    ['a/b/c', '.', 'a/b'],
    ['a', '.', ''],
    ['a/b', '../', ''],
    ['a', 'a', 'a'],
  ])('%s to %s leads to %j', (path, target, to) => {
    expect(linkedPath(path, target)).toBe(to);
  });

  it.each([
    ['a', '..'],
    ['a', '../a'],
    ['a/b', '../../x'],
    ['a/b', '/etc/passwd'],
    ['a/b', 'x/../../../etc'],
    ['a/b', 'x/..'],
    ['a/b', './x'],
    ['a/b', 'x//y'],
    ['a/b', 'x/'],
    ['a/b', ''],
    ['a/b', '..x/../..'],
    ['a/b', 'x\0'],
    ['a/b', 'x\\y'],
    ['a/b', 'x'.repeat(1_025)],
  ])('%s to %j is refused', (path, target) => {
    expect(linkedPath(path, target)).toBeUndefined();
    expect(new TreePaths().addLink(path, target)).toBe('target_not_safe');
  });
});

describe('the paths of a tree', () => {
  it('occur once, and none lies below a link or a file', () => {
    const tree = new TreePaths();
    expect(tree.addFile('a/b/c')).toBeNull();
    expect(tree.addLink('l', 'a')).toBeNull();
    expect(tree.addFile('a/b/c')).toBe('path_twice');
    expect(tree.addFile('a/b')).toBe('path_twice');
    expect(tree.addLink('a', 'x')).toBe('path_twice');
    expect(tree.addFile('a/b/c/d')).toBe('path_twice');
    expect(tree.addFile('l/b/x')).toBe('below_link');
    expect(tree.addLink('l/x', '.')).toBe('below_link');
    expect(tree.addFile('a/../x')).toBe('path_not_safe');
    expect(tree.addFile('a/b/d')).toBeNull();
  });

  it('never lead outside, even through chains of links', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    const target = fc
      .array(fc.oneof(name, fc.constantFrom('..', '..', '.', '')), { minLength: 1, maxLength: 6 })
      .map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.option(target, { nil: undefined })), { maxLength: 12 }), (entries) => {
        const tree = new TreePaths();
        const links = new Map<string, string>();
        const kept: string[] = [];
        for (const [at, to] of entries) {
          if ((to === undefined ? tree.addFile(at) : tree.addLink(at, to)) !== null) continue;
          kept.push(at);
          if (to !== undefined) links.set(at, to);
        }
        for (const at of links.keys()) expect(kept.some((each) => each.startsWith(`${at}/`))).toBe(false);
        for (const at of kept) expect(walk(at, links)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Follows a path as the kernel does, name by name. Returns false when it leaves the tree. */
function walk(path: string, links: ReadonlyMap<string, string>): boolean {
  let at = '';
  const names = path.split('/');
  for (let follows = 0; names.length > 0;) {
    const name = names.shift()!;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (at === '') return false;
      at = posix.dirname(at) === '.' ? '' : posix.dirname(at);
      continue;
    }
    const here = at === '' ? name : `${at}/${name}`;
    const link = links.get(here);
    if (link === undefined) at = here;
    else if (++follows > 40) return true;
    else names.unshift(...link.split('/'));
  }
  return true;
}
