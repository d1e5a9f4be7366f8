import { manifestOf, npmLockOf, pipLockOf } from './lock-text.js';

const INTEGRITY = `sha512-${'A'.repeat(86)}==`;
const FROM_REGISTRY = { resolved: 'https://registry.example/a.tgz', integrity: INTEGRITY };
const lockOf = (packages: Readonly<Record<string, object>>): string =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies: { a: '1.0.0' } }, ...packages } });

describe('a lock of npm', () => {
  it('is kept as it is when all of it comes from the registry with hashes', () => {
    const lock = lockOf({ 'node_modules/a': FROM_REGISTRY, 'node_modules/a/node_modules/b': { inBundle: true } });
    expect(npmLockOf(lock)).toBe(lock);
    expect(JSON.parse(manifestOf(lock))).toMatchObject({ dependencies: { a: '1.0.0' } });
  });

  it.each([
    ['no hash', { 'node_modules/a': { resolved: 'https://registry.example/a.tgz' } }],
    ['a weak hash', { 'node_modules/a': { ...FROM_REGISTRY, integrity: `sha1-${'A'.repeat(27)}=` } }],
    ['a link', { 'node_modules/a': { ...FROM_REGISTRY, link: true } }],
    ['Git', { 'node_modules/a': { ...FROM_REGISTRY, resolved: 'git+ssh://git@example.com/a.git#0' } }],
    ['a file', { 'node_modules/a': { ...FROM_REGISTRY, resolved: 'file:../a' } }],
    ['a place outside', { '../a': FROM_REGISTRY }],
    ['too many', Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`node_modules/a${n}`, FROM_REGISTRY]))],
  ])('is refused with %s', (_, packages) => {
    expect(() => npmLockOf(lockOf(packages))).toThrow(/does not come from the registry|more than 1000/);
  });

  it.each(['', 'null', '{}', '[]', '"x"', 'x'.repeat(1_048_577)])('is refused when it is none', (text) => {
    expect(() => npmLockOf(text)).toThrow(/no lock file|too many others/);
  });
});

describe('a lock of pip', () => {
  const line = `six==1.16.0 --hash=sha256:${'0'.repeat(64)}`;

  it('is kept when each line is a wheel with its hash', () => {
    expect(pipLockOf(`${line}\n`)).toBe(`${line}\n`);
  });

  it.each(['six==1.16.0', `${line} -r x`, `-r x\n${line}`, `six @ http://x --hash=sha256:${'0'.repeat(64)}`])(
    'is refused with %j',
    (text) => {
      expect(() => pipLockOf(text)).toThrow('something else than a wheel');
    },
  );
});
