import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { isBranchName } from './branch-name.js';

const GOOD = [
  'main',
  'feature/login',
  'v1.2',
  'dependabot/npm_and_yarn/x-1.0',
  'ünïcödé',
  'a@b',
  'a{b}',
  'x'.repeat(255),
  "it's",
  'a-',
  '#1',
  '$(id)',
  'a;b',
  'a.b',
];
const BAD = [
  '',
  '@',
  'HEAD',
  '-d',
  '--upload-pack=x',
  '/a',
  'a/',
  'a//b',
  'a.',
  '.a',
  'a/.b',
  'a.lock',
  'a.lock/b',
  'a..b',
  'a b',
  'a\tb',
  'a\nb',
  'a\0b',
  'a\x7fb',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  'a@{1}',
  '@{-1}',
  '\ud800',
  'x'.repeat(256),
  'ü'.repeat(128),
];

/** Git's own answer, for names that can be passed to a program. */
const gitTakes = (name: string): boolean =>
  spawnSync('git', ['check-ref-format', '--branch', name], { env: { PATH: process.env['PATH']! } }).status === 0;

describe('isBranchName', () => {
  it.each(GOOD)('accepts %j, like git', (name) => {
    expect([isBranchName(name), gitTakes(name)]).toEqual([true, true]);
  });

  it.each(BAD)('refuses %j', (name) => {
    expect(isBranchName(name)).toBe(false);
  });

  it('accepts nothing that git refuses', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '/',
      '-',
      '@',
      '{',
      '}',
      '~',
      '^',
      ':',
      ' ',
      '*',
      '[',
      '\\',
      '.lock',
      'HEAD',
      'ü',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const name = pieces.join('');
        fc.pre(isBranchName(name));
        expect(gitTakes(name)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
