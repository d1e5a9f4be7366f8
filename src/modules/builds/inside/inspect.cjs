'use strict';
/**
 * Runs inside of a sandbox and collects the facts about a source that a build needs. They are no more trusted than the
 * source itself.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const python = require('./python.cjs');

const LARGEST_TEXT = 1024 * 1024;
const LARGEST_CONFIG = 65_536;
const MOST_CONFIGS = 12;
/** Records have a limit, so that a long list of paths is cut off. */
const MOST_PATHS = 5_000;
const MOST_PATH_CHARACTERS = 262_144;
const MOST_PACKAGES = 30;
const CONFIG =
  /^(?:\.?[\w.-]+\.config\.[cm]?[jt]s|\.eleventy\.[cm]?js|(?:angular|app)\.json|wrangler\.(?:jsonc?|toml))$/;
const CONFIG_OF_PAGES = /^(?:\w+\/)?\.(?:vite|vue)press\/config\.[cm]?[jt]s$/;
const NOT_SOURCE = new Set(['node_modules', '.git', '.next', '.turbo', '.cache']);
const LOCK_FILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];

function textOf(directory, name, most = LARGEST_TEXT) {
  const file = path.join(directory, name);
  try {
    const stat = fs.statSync(file);
    return stat.isFile() && stat.size <= most ? fs.readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}

function jsonOf(text) {
  try {
    const value = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

const isInside = (inner, outer) => inner === outer || inner.startsWith(`${outer}/`);

function realDirectory(repository, directory) {
  try {
    const real = fs.realpathSync(directory);
    return fs.statSync(real).isDirectory() && isInside(real, fs.realpathSync(repository)) ? real : null;
  } catch {
    return null;
  }
}

/** True when the lock file is of the package manager that package.json names (`pnpm@9.1.0`). */
function isOf(lockFile, packageManager) {
  const [name] = typeof packageManager === 'string' ? packageManager.split('@') : [''];
  return { npm: /^package-lock|^npm-/, pnpm: /^pnpm-/, yarn: /^yarn/, bun: /^bun/ }[name]?.test?.(lockFile) ?? false;
}

/** In a monorepo the lock file lies in a directory above the application. */
function lockOf(repository, directory) {
  for (let at = directory; isInside(at, repository); at = path.dirname(at)) {
    const names = LOCK_FILES.filter((each) => fs.existsSync(path.join(at, each)));
    const name = names.find((each) => isOf(each, jsonOf(textOf(at, 'package.json'))?.packageManager)) ?? names[0];
    if (name !== undefined) return { directory: path.relative(repository, at), name };
  }
  return null;
}

const MOST_PATTERNS = 100;

/** True when a path fits a pattern such as `apps/*` or `packages/**`. A part is compared as a whole or by one star. */
function fitsPattern(parts, [pattern, ...rest]) {
  if (pattern === undefined) return parts.length === 0;
  if (pattern === '**') return parts.some((_, index) => fitsPattern(parts.slice(index), rest)) || rest.length === 0;
  const [head, tail] = pattern.split('*');
  const part = parts[0] ?? '';
  const fits =
    tail === undefined
      ? part === pattern
      : part.length >= head.length + tail.length && part.startsWith(head) && part.endsWith(tail);
  return fits && fitsPattern(parts.slice(1), rest);
}

/** The patterns of the packages of a workspace, or null when the directory has none. */
function workspacePatterns(directory) {
  const { workspaces } = jsonOf(textOf(directory, 'package.json')) ?? {};
  const named = Array.isArray(workspaces) ? workspaces : workspaces?.packages;
  const listed = textOf(directory, 'pnpm-workspace.yaml', LARGEST_CONFIG);
  const found = Array.isArray(named) ? named : listed?.match(/^[ \t]*-[ \t]*['"]?[^'"\s#]+/gm);
  return (found ?? [])
    .filter((each) => typeof each === 'string' && each.length <= 200)
    .slice(0, MOST_PATTERNS)
    .map((each) => each.replace(/^[ \t]*-[ \t]*['"]?/, '').replace(/^\.\/|\/$/g, ''))
    .filter((each) => each.split('**').length <= 3);
}

/** Without a lock file, the packages of a member of a workspace are installed in the directory of the workspace. */
function workspaceOf(repository, directory) {
  for (let at = path.dirname(directory); isInside(at, repository); at = path.dirname(at)) {
    const parts = path.relative(at, directory).split(path.sep);
    if (workspacePatterns(at).some((pattern) => fitsPattern(parts, pattern.split('/'))))
      return path.relative(repository, at);
  }
  return null;
}

/** Routes of frameworks lie deeper than what decides on a build otherwise. */
const mostNames = (here) => (/^(?:src\/)?app\//.test(here) ? 6 : 3);

const PAGE = /\.html?$/i;

/**
 * Lists the paths of up to three names, and of up to six of routes, nearest first. `falsePages` are those that have the
 * name of an HTML page and are no file.
 */
function pathsIn(directory) {
  const paths = [];
  const falsePages = [];
  let characters = 0;
  const waiting = [''];
  while (waiting.length > 0) {
    const at = waiting.shift();
    let entries = [];
    try {
      entries = fs.readdirSync(path.join(directory, at), { withFileTypes: true });
    } catch {
      continue;
    }
    for (const entry of entries) {
      const here = at === '' ? entry.name : `${at}/${entry.name}`;
      characters += here.length;
      if (paths.length >= MOST_PATHS || characters > MOST_PATH_CHARACTERS) return { paths, falsePages };
      if (NOT_SOURCE.has(entry.name)) continue;
      paths.push(here);
      if (PAGE.test(entry.name) && !entry.isFile()) falsePages.push(here);
      if (entry.isDirectory() && here.split('/').length < mostNames(here)) waiting.push(here);
    }
  }
  return { paths, falsePages };
}

/** The Dockerfile, with its text unless it is too large to be a program that someone wrote. */
function dockerfileOf(directory) {
  try {
    const stat = fs.statSync(path.join(directory, 'Dockerfile'));
    if (!stat.isFile()) return null;
    return { bytes: stat.size, text: plainOrNull(textOf(directory, 'Dockerfile', LARGEST_CONFIG)) };
  } catch {
    return null;
  }
}

/** Control characters are six times as long in JSON, and no configuration file needs them. */
const plainText = (text) => text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, ' ');

const plainOrNull = (text) => (text === null ? null : plainText(text));

function configsIn(directory, paths) {
  const names = paths.filter((name) => CONFIG.test(name) || CONFIG_OF_PAGES.test(name)).slice(0, MOST_CONFIGS);
  return Object.fromEntries(
    names
      .map((name) => [name, textOf(directory, name, LARGEST_CONFIG)])
      .filter(([, text]) => text !== null)
      .map(([name, text]) => [name, plainText(text)]),
  );
}

/** The applications of a monorepo, for a message that names them. */
function packagesIn(directory, paths) {
  return paths
    .filter((each) => each.endsWith('/package.json'))
    .slice(0, MOST_PACKAGES)
    .map((each) => {
      const manifest = jsonOf(textOf(directory, each)) ?? {};
      const dependencies = Object.keys({ ...strings(manifest.devDependencies), ...strings(manifest.dependencies) });
      return {
        directory: path.dirname(each),
        dependencies: dependencies.slice(0, 200).map((name) => name.slice(0, 214)),
      };
    });
}

function directoriesOf(repository) {
  try {
    return fs
      .readdirSync(repository, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .slice(0, 50);
  } catch {
    return [];
  }
}

/** What decides which package manager installs, and in which version. */
function packageManagerFacts(directory, lockDirectory, lock) {
  const beside = jsonOf(textOf(lockDirectory, 'package.json'));
  const own = jsonOf(textOf(directory, 'package.json'));
  const short = (value, most) => (typeof value === 'string' ? value.slice(0, most) : null);
  return {
    lockHead: headOf(lockDirectory, lock?.name),
    named: short(beside?.packageManager, 100) ?? short(own?.packageManager, 100),
    pnpmRange: short(beside?.engines?.pnpm, 100),
    pnpmWorkspace: textOf(lockDirectory, 'pnpm-workspace.yaml', 65_536) ?? '',
    yarnRc: textOf(lockDirectory, '.yarnrc.yml', 65_536),
  };
}

function headOf(directory, name) {
  if (name === undefined) return '';
  let descriptor;
  try {
    descriptor = fs.openSync(path.join(directory, name), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    if (!fs.fstatSync(descriptor).isFile()) return '';
    const head = Buffer.alloc(2_000);
    return head.toString('latin1', 0, fs.readSync(descriptor, head, 0, head.length, 0));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

function strings(record) {
  if (typeof record !== 'object' || record === null) return {};
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => typeof value === 'string')
      .slice(0, 1000),
  );
}

const SUBMODULE = /^[ \t]*path[ \t]*=[ \t]*(\S.*)$/gm;
const LARGEST_POINTER = 300;
const MOST_UNFETCHED = 4;

/** Builds fetch neither submodules nor files of Git LFS, whose places have nothing or a pointer. */
function unfetchedIn(repository, directory, paths) {
  const modules = plainText(textOf(repository, '.gitmodules', LARGEST_CONFIG) ?? '').matchAll(SUBMODULE);
  const usesLfs = /\bfilter=lfs\b/.test(textOf(repository, '.gitattributes', LARGEST_CONFIG) ?? '');
  const pointers = [];
  for (const file of usesLfs ? paths : []) {
    if (pointers.length >= MOST_UNFETCHED) break;
    if (textOf(directory, file, LARGEST_POINTER)?.startsWith('version https://git-lfs.') === true) pointers.push(file);
  }
  return {
    submodules: [...modules].slice(0, MOST_UNFETCHED).map(([, place]) => place.trim().slice(0, 200)),
    pointers,
  };
}

module.exports = function inspect(repository, root) {
  const directory = realDirectory(repository, path.join(repository, root));
  if (directory === null) return { found: false, directories: directoriesOf(repository) };
  const manifest = jsonOf(textOf(directory, 'package.json'));
  const lock = lockOf(repository, directory);
  const workspace = lock === null ? workspaceOf(repository, directory) : null;
  const { paths, falsePages } = pathsIn(directory);
  const hash = createHash('sha256');
  const lockDirectory = path.join(repository, lock?.directory ?? workspace ?? root);
  for (const name of [lock?.name ?? '', 'package.json', '.npmrc']) {
    const text = textOf(lockDirectory, name, 64 * LARGEST_TEXT) ?? '';
    hash.update(`${name} ${text.length} `).update(text);
  }
  return {
    found: true,
    entries: fs.readdirSync(directory).slice(0, 1000),
    paths,
    falsePages,
    configs: configsIn(directory, paths),
    locks: lock === null ? [] : LOCK_FILES.filter((name) => fs.existsSync(path.join(lockDirectory, name))),
    packages: packagesIn(directory, paths),
    python: python(directory),
    unfetched: unfetchedIn(repository, directory, paths),
    procfile: plainOrNull(textOf(directory, 'Procfile', 8_192)),
    dockerfile: dockerfileOf(directory),
    manifest:
      manifest === null
        ? null
        : {
            scripts: strings(manifest.scripts),
            dependencies: { ...strings(manifest.devDependencies), ...strings(manifest.dependencies) },
            node: typeof manifest.engines?.node === 'string' ? manifest.engines.node.slice(0, 100) : null,
            packageManager: typeof manifest.packageManager === 'string' ? manifest.packageManager.slice(0, 100) : null,
            main: typeof manifest.main === 'string' ? manifest.main.slice(0, 200) : null,
          },
    hasWorkspaces:
      jsonOf(textOf(lockDirectory, 'package.json'))?.workspaces !== undefined ||
      textOf(lockDirectory, 'pnpm-workspace.yaml') !== null,
    packageManager: packageManagerFacts(directory, lockDirectory, lock),
    nodeFile: (textOf(directory, '.nvmrc', 100) ?? textOf(directory, '.node-version', 100))?.trim() ?? null,
    lock,
    workspace,
    installHash: hash.digest('hex'),
    vercel: textOf(directory, 'vercel.json', 262_144),
    netlify: plainOrNull(textOf(directory, 'netlify.toml', LARGEST_CONFIG)),
  };
};
