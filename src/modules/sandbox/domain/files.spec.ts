import { canCoexist, isFilePath } from './files.js';

describe('the path of a file', () => {
  it.each([
    'lib.js',
    'data.txt',
    'a/b/c.py',
    '.env',
    'été.txt',
    'app/[slug]/page (1).ts',
    'sub/main.py',
    'a..b',
    '..x',
  ])('may be %s', (path) => {
    expect(isFilePath(path)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['upwards', '../x'],
    ['upwards inside', 'a/../x'],
    ['only upwards', '..'],
    ['the directory itself', '.'],
    ['a dot inside', 'a/./x'],
    ['three dots', '...'],
    ['dots and a space', '.. '],
    ['absolute', '/etc/passwd'],
    ['a directory', 'a/'],
    ['an empty name', 'a//b'],
    ['a backslash', 'a\\..\\b'],
    ['NUL', 'a\0b'],
    ['a new line', 'a\nb'],
    ['an escape', 'a\u001b[0m'],
    ['half a character', 'a\ud800'],
    ['a slash of another script', 'a\u2215b'],
    ['the program', 'main.py'],
    ['a directory in its place', 'main.js/x'],
    ['standard input', 'stdin'],
    ['a name without end', 'x'.repeat(101)],
    ['a path without end', 'abcdefghi/'.repeat(7) + 'x'.repeat(140)],
    ['a hole', 'a/'.repeat(8) + 'x'],
    ['a number', 7],
  ])('may not be %s', (_what, path) => {
    expect(isFilePath(path)).toBe(false);
  });
});

describe('files together', () => {
  it('are each a path of its own, and none a directory of another', () => {
    expect(canCoexist(['a', 'b/c', 'b/d', 'b.txt'])).toBe(true);
    expect(canCoexist(['a', 'a'])).toBe(false);
    expect(canCoexist(['a', 'a/b'])).toBe(false);
    expect(canCoexist(['a/b/c', 'a/b'])).toBe(false);
  });
});
