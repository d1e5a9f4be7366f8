import { areSeparatePaths, isTreePath } from './tree-path.js';

describe('the path of a file that is written', () => {
  it.each(['a', 'src/a b.ts', '.github/workflows/a.yml', '.gitignore', 'ü/ñ', '-x', 'a"b', '...', 'git', 'a.git/b'])(
    'may be %s',
    (path) => {
      expect(isTreePath(path)).toBe(true);
    },
  );

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/../b',
    './a',
    'a\\b',
    'a\nb',
    'a\0b',
    '.git',
    '.GIT/config',
    'a/.git/hooks/post-checkout',
    '.git ',
    '.git.',
    'git~1/x',
    '.g\u200cit/x',
    '.gitmodules',
    '.GitModules',
    '.git:x',
    'a\u202eb',
    '\ud800',
    'a'.repeat(256),
    'a/'.repeat(600),
  ])('may not be %j', (path) => {
    expect(isTreePath(path)).toBe(false);
  });

  it('is not a directory of another', () => {
    expect(areSeparatePaths(['a', 'b/c', 'b/d', 'ab'])).toBe(true);
    expect(areSeparatePaths(['a', 'a'])).toBe(false);
    expect(areSeparatePaths(['b/c/d', 'b'])).toBe(false);
    expect(areSeparatePaths(['b/c/d', 'b/c'])).toBe(false);
  });
});
