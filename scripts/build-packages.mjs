#!/usr/bin/env node
/**
 * `npm run build:client`: builds the client library and the command line into their dist/, unless what lies there is
 * of these very sources. The JavaScript of the client becomes one module, which browsers load in one request and
 * which is smaller than its parts; that of the command line is made file by file. Both take moments; only the
 * declarations of the client need the whole of TypeScript, without its type checks: `npm run check` does those.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { step } from './progress.mjs';

const require = createRequire(import.meta.url);
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
// Not in dist/, which is published as it is.
const CACHE = join(ROOT, 'node_modules/.cache/service-packages');
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
/** Comments belong into the declarations, where editors show them, and not into what is shipped to browsers. */
const COMPILED = {
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  verbatimModuleSyntax: true,
  removeComments: true,
};

const PACKAGES = [
  {
    name: 'client',
    inputs: ['client/src', 'client/tsconfig.json', 'scripts/build-packages.mjs'],
    main: 'index.js',
    compile: bundle,
    declarations: ['-p', 'client/tsconfig.json', '--emitDeclarationOnly', '--noCheck'],
  },
  { name: 'cli', inputs: ['cli/src', 'scripts/build-packages.mjs'], main: 'main.js', compile },
];

mkdirSync(CACHE, { recursive: true });
const lock = openSync(join(CACHE, 'lock'), 'a');
try {
  if (!PACKAGES.every(isFresh)) {
    // The lock stays with our descriptor: a second build waits here and then finds the work done.
    if ((await locked('-n')) === 1)
      await step('Waiting for a build of the packages that is under way', () => locked('-x'));
    for (const each of PACKAGES) if (!isFresh(each)) await step(`Building ${each.name}/dist`, () => build(each));
  }
} finally {
  closeSync(lock);
}

async function locked(how) {
  const child = spawn('flock', [how, '3'], { stdio: ['ignore', 'ignore', 'ignore', lock] });
  return once(child, 'close').then(
    ([status]) => status,
    () => null,
  );
}

async function build({ name, inputs, compile, declarations }) {
  // Taken before, so that what is saved during the build makes the next one build again.
  const state = fingerprint(inputs);
  const fresh = join(CACHE, `${name}-dist`);
  rmSync(fresh, { recursive: true, force: true });
  await compile(join(ROOT, name, 'src'), fresh);
  if (declarations !== undefined) await declare(name, [...declarations, '--outDir', fresh]);
  // The directory is replaced as a whole, because other tests may be reading the old one.
  const dist = join(ROOT, name, 'dist');
  const old = join(CACHE, `${name}-old`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  writeFileSync(join(CACHE, `${name}.state`), state);
}

/**
 * Writes a module for each entry of the client, with everything that it imports, and the names that it exports. Only
 * the main entry is imported and not repeated, because an error has to be an instance of the class that users have.
 */
async function bundle(source, target) {
  mkdirSync(target, { recursive: true });
  await bundleEntry(source, target, 'index');
  await bundleEntry(source, target, 'live-sandbox', ['./index.js']);
  await bundleEntry(source, target, 'html-tables');
  await bundleEntry(source, target, 'server-events');
}

async function bundleEntry(source, target, name, externalModules = []) {
  const { bundle, minify } = require('@swc/core');
  const { [name]: bundled } = await bundle({
    mode: 'production',
    target: 'browser',
    entry: { [name]: join(source, `${name}.ts`) },
    output: { path: target, name: `${name}.js` },
    module: { type: 'es6' },
    externalModules,
    options: { swcrc: false, jsc: { parser: { syntax: 'typescript' }, target: COMPILED.target }, minify: false },
  });
  // Names of classes stay, as errors are printed by them; those of functions get short, which saves 200 bytes.
  const names = { keep_classnames: true };
  const { code } = await minify(bundled.code, { module: true, compress: names, mangle: names });
  writeFileSync(join(target, `${name}.js`), code);
}

function compile(source, target) {
  const { transpileModule } = require('typescript');
  for (const file of readdirSync(source, { recursive: true }).filter((path) => path.endsWith('.ts'))) {
    const { outputText } = transpileModule(readFileSync(join(source, file), 'utf8'), {
      compilerOptions: COMPILED,
      fileName: join(source, file),
    });
    const output = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, outputText);
  }
}

async function declare(name, args) {
  const child = spawn(process.execPath, [TSC, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (status === 0) return;
  console.error(`${name} cannot be built:\n${said}`);
  process.exit(1);
}

function isFresh({ name, inputs, main }) {
  const stamp = join(CACHE, `${name}.state`);
  return (
    existsSync(join(ROOT, name, 'dist', main)) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === fingerprint(inputs)
  );
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
  else
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
}
