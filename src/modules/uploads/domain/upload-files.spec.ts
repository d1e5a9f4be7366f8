import fc from 'fast-check';
import { filesFault, MAX_FILES, pathFault } from './upload-files.js';

const SHA = 'a'.repeat(64);
const file = (path: string, more: object = {}): object => ({ path, sha256: SHA, bytes: 1, ...more });

describe('pathFault', () => {
  it.each(['index.html', 'src/a b/ünï-👩‍💻.js', '.env', '.gitignore', '.github/x', 'git~x', 'a/-rf', 'x"y', ' '])(
    'accepts %j',
    (path) => {
      expect(pathFault(path)).toBeUndefined();
    },
  );

  it.each([
    '',
    '/etc/passwd',
    'a//b',
    'a/',
    './a',
    'a/../b',
    '..',
    '.git',
    '.git/config',
    'a/.GIT/hooks/post-checkout',
    '.Git ',
    '.git.',
    '.git. .',
    '.git::$INDEX_ALLOCATION',
    'git~1/config',
    'GIT~12',
    '.g\u200cit/config',
    '\ufeff.git',
    'a\\b',
    'a\nb',
    'a\0b',
    'a\u007f',
    'a\ud800',
    'x'.repeat(256),
    `${'x/'.repeat(600)}x`,
  ])('refuses %j', (path) => {
    expect(pathFault(path)).toEqual(expect.any(String));
  });

  it('accepts no path that leads out of its directory or into one of git', () => {
    const part = fc.oneof(fc.constantFrom('.', '..', '', '.git', '.GIT', 'a', '.git ', '\u200d.git'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const path = parts.join('/');
        if (pathFault(path) !== undefined) return;
        const names = path.split('/');
        expect(names.every((name) => !['', '.', '..'].includes(name))).toBe(true);
        expect(
          names.some(
            (name) =>
              name
                .replace(/\p{Cf}/gu, '')
                .trim()
                .toLowerCase() === '.git',
          ),
        ).toBe(false);
      }),
    );
  });
});

describe('filesFault', () => {
  it('accepts files that differ', () => {
    expect(filesFault([file('a'), file('b/c', { executable: true }), file('b/d')])).toBeUndefined();
  });

  it.each([
    ['no list', {}, 'must be a list'],
    ['no files', [], 'at least one'],
    ['too many files', Array.from({ length: MAX_FILES + 1 }, (_, index) => file(`${index}`)), 'at most'],
    ['null', [null], 'index 0'],
    ['a path twice', [file('a'), file('a')], 'twice'],
    ['a file that is a directory', [file('a/b/c'), file('a/b')], 'file and as a directory'],
    ['an uppercase hash', [file('a', { sha256: SHA.toUpperCase() })], 'sha256'],
    ['a negative size', [file('a', { bytes: -1 })], 'bytes'],
    ['a size that is no number', [file('a', { bytes: '1' })], 'bytes'],
    ['two sizes of one content', [file('a'), file('b', { bytes: 2 })], 'another size'],
    ['an executable that is no boolean', [file('a', { executable: 'yes' })], 'executable'],
    ['a path that is no text', [file(1 as unknown as string)], 'path'],
  ])('refuses %s', (_what, files, message) => {
    expect(filesFault(files)).toContain(message);
  });
});
