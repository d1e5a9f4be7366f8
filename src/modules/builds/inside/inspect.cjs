'use strict';
/**
 * Runs inside of a sandbox and collects the facts about a source that a build needs. They are no more trusted than the
 * source itself.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const LARGEST_TEXT = 1024 * 1024;
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

/** In a monorepo the lock file lies in a directory above the application. */
function lockOf(repository, directory) {
  for (let at = directory; isInside(at, repository); at = path.dirname(at)) {
    const name = LOCK_FILES.find((each) => fs.existsSync(path.join(at, each)));
    if (name !== undefined) return { directory: path.relative(repository, at), name };
  }
  return null;
}

function strings(record) {
  if (typeof record !== 'object' || record === null) return {};
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => typeof value === 'string')
      .slice(0, 1000),
  );
}

module.exports = function inspect(repository, root) {
  const directory = realDirectory(repository, path.join(repository, root));
  if (directory === null) return { found: false };
  const manifest = jsonOf(textOf(directory, 'package.json'));
  const lock = lockOf(repository, directory);
  const nextConfig =
    ['next.config.ts', 'next.config.mjs', 'next.config.js', 'next.config.cjs']
      .map((name) => textOf(directory, name, 65_536))
      .find((text) => text !== null) ?? '';
  const hash = createHash('sha256');
  const lockDirectory = path.join(repository, lock?.directory ?? root);
  for (const name of [lock?.name ?? '', 'package.json', '.npmrc']) {
    const text = textOf(lockDirectory, name, 64 * LARGEST_TEXT) ?? '';
    hash.update(`${name} ${text.length} `).update(text);
  }
  return {
    found: true,
    entries: fs.readdirSync(directory).slice(0, 1000),
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
    hasWorkspaces: jsonOf(textOf(lockDirectory, 'package.json'))?.workspaces !== undefined,
    nodeFile: (textOf(directory, '.nvmrc', 100) ?? textOf(directory, '.node-version', 100))?.trim() ?? null,
    lock,
    installHash: hash.digest('hex'),
    nextExports: /\boutput\s*:\s*['"`]export['"`]/.test(nextConfig),
    vercel: textOf(directory, 'vercel.json', 262_144),
  };
};
