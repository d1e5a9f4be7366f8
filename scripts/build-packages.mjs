#!/usr/bin/env node
// Builds the client library and the command line into their dist/, unless what lies there is of these very sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
// Not in dist/, which is published as it is.
const CACHE = join(ROOT, 'node_modules/.cache/service-packages');
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** In this order: the command line is compiled against the built client. */
const PACKAGES = [
  {
    name: 'client',
    inputs: ['client/src', 'client/tsconfig.json', 'scripts/build-packages.mjs'],
    main: 'index.js',
    // Twice: the docs belong into the declarations, where editors show them, and not into what is shipped to browsers.
    passes: [
      ['-p', 'client/tsconfig.json', '--emitDeclarationOnly'],
      ['-p', 'client/tsconfig.json', '--declaration', 'false', '--removeComments'],
    ],
  },
  {
    name: 'cli',
    inputs: ['client/src', 'cli/src', 'cli/tsconfig.json', 'cli/tsconfig.build.json', 'scripts/build-packages.mjs'],
    main: 'main.js',
    passes: [['-p', 'cli/tsconfig.build.json']],
  },
];

mkdirSync(CACHE, { recursive: true });
const lock = openSync(join(CACHE, 'lock'), 'a');
try {
  if (!PACKAGES.every(isFresh)) {
    // The lock stays with our descriptor: a second build waits here and then finds the work done.
    spawnSync('flock', ['3'], { stdio: ['ignore', 'ignore', 'ignore', lock] });
    for (const each of PACKAGES) if (!isFresh(each)) build(each);
  }
} finally {
  closeSync(lock);
}

function build({ name, inputs, passes }) {
  // Taken before, so that what is saved during the build makes the next one build again.
  const state = fingerprint(inputs);
  const fresh = join(CACHE, `${name}-dist`);
  rmSync(fresh, { recursive: true, force: true });
  for (const pass of passes) {
    const { status, stdout } = spawnSync(process.execPath, [TSC, ...pass, '--outDir', fresh], { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) {
      console.error(`${name} cannot be built:\n${stdout}`);
      process.exit(1);
    }
  }
  // Put in place whole, because tests of somebody else may be reading the old one.
  const dist = join(ROOT, name, 'dist');
  const old = join(CACHE, `${name}-old`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  writeFileSync(join(CACHE, `${name}.state`), state);
}

function isFresh({ name, inputs, main }) {
  const stamp = join(CACHE, `${name}.state`);
  return existsSync(join(ROOT, name, 'dist', main)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(inputs);
}

function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const input of inputs) addTo(hash, input);
  return hash.digest('hex');
}

function addTo(hash, path) {
  const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) for (const name of readdirSync(join(ROOT, path)).sort()) addTo(hash, join(path, name));
  else hash.update(`${path}\0`).update(readFileSync(join(ROOT, path))).update('\0');
}
