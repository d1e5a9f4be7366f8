import { hasDistinctNames, isNpmPackage, isPipPackage, wantedBy } from './packages.js';

describe('a package of npm', () => {
  it.each(['left-pad@1.3.0', '@scope/name@2.0.0-rc.1', 'a@0.0.0', 'x.y_z@1.2.3-alpha-1.2'])('can be %s', (each) => {
    expect(isNpmPackage(each)).toBe(true);
  });

  it.each([
    ...['left-pad', 'left-pad@', '@1.0.0', 'a@1', 'a@1.0', 'a@^1.0.0', 'a@1.0.x', 'a@latest', 'a@1.0.0-', 'a@1.0.0-..'],
    ...[
      'a@1.0.0+build',
      'a@1.0.0 ',
      ' a@1.0.0',
      'a@1.0.0\n',
      'A@1.0.0',
      '.a@1.0.0',
      '-a@1.0.0',
      '@a@1.0.0',
      '@/a@1.0.0',
    ],
    ...[
      'a/b@1.0.0',
      '../a@1.0.0',
      '/a@1.0.0',
      '@a/../b@1.0.0',
      'a@npm:b@1.0.0',
      'git+ssh://git@x/a@1.0.0',
      'a@file:1.0.0',
    ],
    ...['__proto__@1.0.0', `${'a'.repeat(215)}@1.0.0`, `a@1.0.0-${'a'.repeat(80)}`, 'a%2fb@1.0.0', 'ä@1.0.0', 1, null],
  ])('cannot be %j', (each) => {
    expect(isNpmPackage(each)).toBe(false);
  });
});

describe('a package of pip', () => {
  it.each(['six==1.16.0', 'Flask_SQLAlchemy==3', 'zope.interface==1!2.0rc1.post2.dev3'])('can be %s', (each) => {
    expect(isPipPackage(each)).toBe(true);
  });

  it.each([
    ...[
      'six',
      'six==',
      '==1.0',
      'six===1.0',
      'six>=1.0',
      'six==1.*',
      'six~=1.0',
      'six==1.0,<2',
      'six[x]==1.0',
      'six==1.0+cpu',
    ],
    ...[
      'six==1.0; x',
      'six==1.0 --hash=x',
      'six==1.0\nfive==1.0',
      'six==1.0\r',
      '-r six==1.0',
      '--index-url=x==1.0',
      './six==1.0',
    ],
    ...[
      'six @ http://x/==1.0',
      'six==http://x',
      '${HOME}==1.0',
      `${'a'.repeat(215)}==1.0`,
      'six==1.0 # x',
      'six ==1.0',
      1,
      null,
    ],
  ])('cannot be %j', (each) => {
    expect(isPipPackage(each)).toBe(false);
  });
});

it('packages are distinct when no two have the same name, however it is written', () => {
  expect(hasDistinctNames(['a@1.0.0', '@a/a@1.0.0'])).toBe(true);
  expect(hasDistinctNames(['a@1.0.0', 'a@2.0.0'])).toBe(false);
  expect(hasDistinctNames(['Flask_SQLAlchemy==1', 'flask-sqlalchemy==2'])).toBe(false);
});

it('a choice has one id for its owner, in any order, and another for each other organization', () => {
  const choice = { ecosystem: 'npm', packages: ['b@1.0.0', 'a@1.0.0'] } as const;
  const { id } = wantedBy('org_1', choice);
  expect(wantedBy('org_1', { ...choice, packages: ['a@1.0.0', 'b@1.0.0'] }).id).toBe(id);
  expect(wantedBy('org_2', choice).id).not.toBe(id);
  expect(wantedBy('org_1', { ...choice, packages: ['a@1.0.1', 'b@1.0.0'] }).id).not.toBe(id);
  // All have the same set.
  expect(wantedBy('org_2', { ...choice, set: 'node-common' })).toEqual(
    wantedBy('org_1', { ...choice, set: 'node-common' }),
  );
});
