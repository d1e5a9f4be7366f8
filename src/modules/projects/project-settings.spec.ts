import { posix } from 'node:path';
import fc from 'fast-check';
import { isDirectory } from './project-settings.js';

describe('a directory of a repository', () => {
  it.each(['apps/web', 'dist', '.next/standalone', 'a b', 'ünï/cödé', '..a', 'a..', 'x'.repeat(200)])(
    'can be %j',
    (text) => {
      expect(isDirectory(text)).toBe(true);
    },
  );

  it.each([
    '',
    '.',
    '..',
    '/',
    '/etc',
    'a/',
    'a//b',
    './a',
    'a/.',
    'a/../..',
    '../a',
    'a\\b',
    'a\0b',
    'a\nb',
    '-rf',
    '.git',
    'a/.GIT/hooks',
    '\ud800',
    'x'.repeat(201),
  ])('cannot be %j', (text) => {
    expect(isDirectory(text)).toBe(false);
  });

  it('never leads out of it', () => {
    const part = fc.oneof(fc.constantFrom('.', '..', '', '/', '\\', 'a', '~'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => {
        const text = parts.join('/');
        if (isDirectory(text)) expect(posix.join('/repository', text)).toBe(`/repository/${text}`);
      }),
    );
  });
});
