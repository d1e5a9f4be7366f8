import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
/** Names a commit, for as long as no release is tagged: docs/operations/upgrade.md. */
const NAMED_BY = 'deploy/previous-release';
const TAGS = 'v*';

/** A commit, or the reason why this clone has none. */
type Found =
  { readonly commit: string; readonly missing?: undefined } | { readonly commit?: undefined; readonly missing: string };

/**
 * The release that is replaced by this one: the newest tag before this commit, or the commit that a file names,
 * whichever is later. What a clone does not have is left out, unless REQUIRE_PREVIOUS_RELEASE demands it.
 *
 * @throws {Error} when it is not an ancestor of this commit, or is missing where it must not be.
 */
export function findPreviousRelease(root = ROOT): Found {
  const found = find(root);
  if (found.missing !== undefined && process.env['REQUIRE_PREVIOUS_RELEASE']) throw new Error(found.missing);
  return found;
}

function find(root: string): Found {
  const git = gitIn(root);
  if (git('rev-parse', '--git-dir') === undefined) return { missing: 'This copy has no history of git.' };
  const named = readFileSync(join(root, NAMED_BY), 'utf8').trim();
  if (!/^[0-9a-f]{40}$/.test(named)) throw new Error(`${NAMED_BY} must have the hash of a commit, and has "${named}".`);
  if (git('cat-file', '-e', `${named}^{commit}`) === undefined)
    return {
      missing: `The history of this clone does not reach back to ${named}: git fetch --unshallow.`,
    };
  const isAncestor = (one: string, other: string): boolean =>
    git('merge-base', '--is-ancestor', one, other) !== undefined;
  if (!isAncestor(named, 'HEAD')) throw new Error(`${named} in ${NAMED_BY} is not an ancestor of this commit.`);
  const tagged = newestTaggedCommit(git);
  return { commit: tagged !== undefined && isAncestor(named, tagged) ? tagged : named };
}

/** A tag on this commit is this release, and not the one before it. */
function newestTaggedCommit(git: Git): string | undefined {
  const head = git('rev-parse', 'HEAD');
  const tags = git('tag', '--merged', 'HEAD', '--list', TAGS, '--sort=-version:refname') ?? '';
  return tags
    .split('\n')
    .filter((tag) => tag !== '')
    .map((tag) => git('rev-parse', `${tag}^{commit}`))
    .find((commit) => commit !== head);
}

/** The output, or undefined where git fails or is missing. The working copy may belong to another user. */
type Git = (...args: readonly string[]) => string | undefined;

const gitIn =
  (root: string): Git =>
  (...args) => {
    const { status, stdout } = spawnSync('git', ['-c', `safe.directory=${root}`, ...args], {
      cwd: root,
      encoding: 'utf8',
    });
    return status === 0 ? stdout.trim() : undefined;
  };

/** The names of the files in a directory of that commit. */
export const filesOf = (commit: string, directory: string): string[] =>
  gitIn(ROOT)('ls-tree', '--name-only', `${commit}:${directory}`)!.split('\n');

/**
 * Puts the tree that is tested, as it is now, into the directory, and installs and builds it with the commands of the
 * page. Where the previous release is not required, packages are linked to those installed here: `npm ci` would
 * bring the same once more.
 */
export function buildThis(directory: string, commands: readonly (readonly string[])[]): void {
  mkdirSync(directory, { recursive: true });
  const list = spawnSync('git', ['-c', `safe.directory=${ROOT}`, 'ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: ROOT,
  }).stdout;
  const names = list
    .toString()
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(ROOT, name)));
  const archive = spawnSync('tar', ['-c', '--null', '-T', '-'], {
    cwd: ROOT,
    input: names.join('\0'),
    maxBuffer: 1_073_741_824,
  }).stdout;
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  for (const [program, ...args] of commands) {
    if (args[0] === 'ci' && !process.env['REQUIRE_PREVIOUS_RELEASE']) linkPackages(directory);
    else run(program!, args, directory);
  }
}

/** Links the packages of workspaces too, some of which are in directories of their own. */
function linkPackages(directory: string): void {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
  for (const each of ['.', ...workspaces]) {
    const packages = join(ROOT, each, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(directory, each, 'node_modules'));
  }
}

/** Puts the tree of the commit into the directory, with its packages, and builds it. */
export function build(commit: string, directory: string): void {
  mkdirSync(directory, { recursive: true });
  const tree = execFileSync('git', ['-c', `safe.directory=${ROOT}`, 'archive', commit], {
    cwd: ROOT,
    maxBuffer: 1_073_741_824,
  });
  execFileSync('tar', ['-x', '-C', directory], { input: tree });
  if (hasAllPackagesOf(directory)) symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  else run('npm', ['ci'], directory);
  run(process.execPath, [join(directory, 'scripts/build.mjs')], directory);
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

/**
 * Tells whether what is installed here has each package of that release in the same place and version. Then it needs no
 * installation of its own; packages that came later do not matter to it, unless they stand where it would find another.
 */
function hasAllPackagesOf(directory: string): boolean {
  const [theirs, ours] = [packagesIn(directory), packagesIn(ROOT)];
  const same = [...theirs].every(
    ([path, { version, integrity }]) => ours.get(path)?.version === version && ours.get(path)?.integrity === integrity,
  );
  const shadowing = [...ours.keys()].filter((path) => {
    const owner = path.slice(0, path.lastIndexOf('/node_modules/'));
    return !theirs.has(path) && path.lastIndexOf('/node_modules/') > 0 && theirs.has(owner);
  });
  return same && shadowing.length === 0;
}

function packagesIn(directory: string): Map<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  // The others are this repository itself, and its workspaces.
  return new Map(
    Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true),
  );
}

/** The Node that the release pins, where it has one of its own. */
export function nodeOf(directory: string): string {
  const pinned = join(directory, `node_modules/node-linux-${process.arch}/bin/node`);
  return existsSync(pinned) ? pinned : process.execPath;
}

/** What npm has fetched before is not asked for again. */
const OFFLINE_FIRST = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

function run(program: string, args: readonly string[], cwd: string): void {
  const env = { ...process.env, ...OFFLINE_FIRST };
  const { status, stdout, stderr } = spawnSync(program, [...args], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${String(status)}: ${stdout}${stderr}`);
}
