/**
 * Lets plain Node run the project's TypeScript, where Jest's own loading does not reach: Jest's global set-up, and
 * the helper processes that a test starts in order to kill them. `./x.js` finds `./x.ts`, as the compiler has it.
 *
 * What was compiled is kept, as Jest keeps its own: the service is a thousand files, and some tests start it ten times.
 * It lies among the packages and not in a directory for scratch files, where others could leave code for us to run.
 */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const options = require('../../scripts/swc-options.cjs');

const KEPT = join(__dirname, '../../node_modules/.cache/typescript-hook');
const COMPILER = readFileSync(join(__dirname, '../../node_modules/@swc/core/package.json'), 'utf8');
const HOW = createHash('sha256').update(COMPILER).update(JSON.stringify(options)).update('with maps').digest('hex');

const maps = new Map();

const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveTypeScript(request, parent, ...rest) {
  if (/^\.{1,2}\/.*\.js$/.test(request) && /\.ts$/.test(parent?.filename ?? '')) {
    return resolve.call(this, `${request.slice(0, -'.js'.length)}.ts`, parent, ...rest);
  }
  return resolve.call(this, request, parent, ...rest);
};

function load(module, filename) {
  const source = readFileSync(filename, 'utf8');
  const path = join(KEPT, createHash('sha256').update(`${HOW}\0${filename}\0${source}`).digest('hex'));
  maps.set(filename, `${path}.map`);
  let code;
  try {
    code = readFileSync(path, 'utf8');
  } catch {
    const { transformSync } = require('@swc/core');
    const compiled = transformSync(source, { filename, sourceMaps: true, ...options });
    ({ code } = compiled);
    keep(`${path}.map`, compiled.map);
    keep(path, code);
  }
  module._compile(code, filename);
}

Module._extensions['.ts'] ??= load;

/** Jest takes hooks of its own away after its global set-up, and with them one that was there already. */
exports.install = () => {
  Module._extensions['.ts'] = load;
};

/** The file with the source map of one that has been loaded here. */
exports.mapOf = (filename) => maps.get(filename);

function keep(path, text) {
  try {
    mkdirSync(KEPT, { recursive: true });
    // Another process may read it meanwhile.
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, text);
    renameSync(unfinished, path);
  } catch {
    // The packages may belong to another user, or the process to one without rights.
  }
}
