#!/usr/bin/env node
/**
 * `npm run build`: makes dist/ of src/ and migrations/. Each file is compiled by itself, by the compiler and with the
 * options that the tests run with, which takes a second; types are checked by `npm run check`.
 */
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const FRESH = join(DIST, '.fresh');
const SOURCES = ['src', 'migrations'];
/** Read at run time, from beside the code. */
const ASSETS = ['.lua', '.py', '.cjs', '.bin', '.txt'];

const require = createRequire(import.meta.url);
const { transformFile } = require('@swc/core');
const options = require('./swc-options.cjs');

await rm(FRESH, { recursive: true, force: true });
const files = (await Promise.all(SOURCES.map(filesOf))).flat();
for (const directory of new Set(files.map((file) => dirname(file))))
  await mkdir(join(FRESH, directory), { recursive: true });
await Promise.all(files.map(build));
for (const source of SOURCES) await replace(source);
await rm(FRESH, { recursive: true, force: true });
// The compiler of earlier releases has left this file.
await rm(join(DIST, '.tsbuildinfo'), { force: true });

async function filesOf(directory) {
  const names = await readdir(join(ROOT, directory), { recursive: true });
  return names
    .map((name) => join(directory, name))
    .filter((file) => ASSETS.includes(extname(file)) || (file.endsWith('.ts') && !file.endsWith('.spec.ts')));
}

async function build(file) {
  if (!file.endsWith('.ts')) return cp(join(ROOT, file), join(FRESH, file));
  const { code } = await transformFile(join(ROOT, file), { ...options, swcrc: false, configFile: false });
  return writeFile(join(FRESH, file.replace(/\.ts$/, '.js')), code);
}

/** Whole directories are put in place, so that nothing of a source that was removed stays behind. */
async function replace(source) {
  const old = join(FRESH, `old-${source}`);
  await rename(join(DIST, source), old).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(join(FRESH, source), join(DIST, source));
}
