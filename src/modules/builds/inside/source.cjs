'use strict';
/**
 * Runs inside of a sandbox next to git: `… | node source.cjs <repository> <root directory>`. It starts together
 * with git, so that it is ready when git ends. When git has written the lines about the commit and has checked out all
 * files, it says `done`. Then comes a record like those of `pack.cjs`: `{"inspection"}`. On descriptor 3 comes what
 * happens then: a plan of `pack.cjs` for the files, or `{"prepare"}` for a build.
 */
const { execFileSync, spawn } = require('node:child_process');
const { createReadStream, existsSync, mkdirSync, renameSync, rmSync } = require('node:fs');
const path = require('node:path');

const inspect = require('./inspect.cjs');
const { pack, record } = require('./pack.cjs');

const [repository, root] = process.argv.slice(2);

const NO_ROOM = 2;
const NOT_FETCHED = 3;

/** Gives the files that were checked out a repository of their own, which has only their commit. */
const OWN_REPOSITORY = `set -e
git init -q .
git fetch -q --depth 1 --no-tags --no-recurse-submodules -- "$1" "$2"
git checkout -q --detach --no-recurse-submodules FETCH_HEAD --`;

/** Resolves with the exit status. */
function ownRepository({ url, commit }) {
  const child = spawn('/usr/bin/sh', ['-c', OWN_REPOSITORY, 'sh', url, commit], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  });
}

/**
 * Makes room for mounted packages, and moves what the framework cached to its place. A cache that was not copied while
 * git fetched, or that meets something of the repository, is copied here. The build works without it.
 */
function makeReady({ emptied, cached }) {
  if (emptied !== null) {
    rmSync(emptied, { recursive: true, force: true });
    mkdirSync(emptied);
  }
  if (cached === null) return;
  const { within, paths, copy, original } = cached;
  for (const name of paths) {
    const [from, to] = [path.join(copy, name), path.join(within, name)];
    try {
      if (!existsSync(path.join(original, name))) continue;
      mkdirSync(path.dirname(to), { recursive: true });
      if (existsSync(to) || !existsSync(from)) throw new Error('it cannot be moved');
      renameSync(from, to);
    } catch {
      try {
        execFileSync('/usr/bin/cp', ['-a', path.join(original, name), path.dirname(to)], { stdio: 'ignore' });
      } catch {
        // The build makes a new cache.
      }
    }
  }
  rmSync(copy, { recursive: true, force: true });
}

async function prepare(preparation) {
  const fetched = preparation.repository === null ? 0 : ownRepository(preparation.repository);
  try {
    makeReady(preparation);
  } catch {
    process.exitCode = NO_ROOM;
  }
  if ((await fetched) !== 0) process.exitCode = NOT_FETCHED;
}

async function main() {
  let said = '';
  for await (const text of process.stdin.setEncoding('utf8')) said += text;
  if (said !== 'done\n') process.exit(1);
  record({ inspection: inspect(repository, root) });
  let plan = '';
  for await (const text of createReadStream('', { fd: 3, encoding: 'utf8' })) plan += text;
  if (plan === '') return;
  const next = JSON.parse(plan);
  if (next.prepare === undefined) pack(next);
  else await prepare(next.prepare);
}

void main();
