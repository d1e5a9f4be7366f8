import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPreviousRelease } from './previous-release.js';

describe('the previous release', () => {
  const directory = mkdtempSync(join(tmpdir(), 'previous-release-'));
  const root = join(directory, 'history');
  const required = process.env['REQUIRE_PREVIOUS_RELEASE'];

  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: root,
      encoding: 'utf8',
    }).trim();
  const commit = (): string => {
    git('commit', '--quiet', '--allow-empty', '-m', 'Something');
    return git('rev-parse', 'HEAD');
  };
  const name = (hash: string): void => {
    writeFileSync(join(root, 'deploy/previous-release'), `${hash}\n`);
  };

  beforeAll(() => {
    mkdirSync(join(root, 'deploy'), { recursive: true });
    git('init', '--quiet', '-b', 'main');
  });
  beforeEach(() => {
    delete process.env['REQUIRE_PREVIOUS_RELEASE'];
  });
  afterAll(() => {
    if (required !== undefined) process.env['REQUIRE_PREVIOUS_RELEASE'] = required;
    rmSync(directory, { recursive: true });
  });

  it('is the commit that the file names, or a later tag', () => {
    const [named] = [commit(), commit()];
    name(named);
    expect(findPreviousRelease(root)).toEqual({ commit: named });
    git('tag', 'v1.0.0', named);
    const tagged = commit();
    git('tag', 'v1.1.0');
    // A tag on this commit is this release.
    expect(findPreviousRelease(root)).toEqual({ commit: named });
    commit();
    expect(findPreviousRelease(root)).toEqual({ commit: tagged });
    name(git('rev-parse', 'HEAD~1'));
    expect(findPreviousRelease(root)).toEqual({ commit: tagged });
  });

  it('is missing in a clone without its history, which is said, and is an error where it is required', () => {
    name(git('rev-list', '--max-parents=0', 'HEAD'));
    git('add', '.');
    commit();
    const clone = join(directory, 'clone');
    git('clone', '--quiet', '--depth', '1', `file://${root}`, clone);
    expect(findPreviousRelease(clone)).toEqual({ missing: expect.stringMatching(/git fetch --unshallow/) });
    process.env['REQUIRE_PREVIOUS_RELEASE'] = '1';
    expect(() => findPreviousRelease(clone)).toThrow('does not reach back');
  });

  it('is refused when it is not what this commit has come from', () => {
    git('checkout', '--quiet', '--detach', 'HEAD~1');
    const other = commit();
    git('checkout', '--quiet', 'main');
    name(other);
    expect(() => findPreviousRelease(root)).toThrow('is not an ancestor');
    name('v1.0.0');
    expect(() => findPreviousRelease(root)).toThrow('must have the hash of a commit');
  });

  it('of this repository is found, unless the clone is shallow', () => {
    const isShallow = git('-C', join(__dirname, '../..'), 'rev-parse', '--is-shallow-repository') === 'true';
    const found = findPreviousRelease();
    if (found.missing === undefined || !isShallow) expect(found).toEqual({ commit: expect.any(String) });
  });
});
