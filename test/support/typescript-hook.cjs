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
const HOW = createHash('sha256').update(COMPILER).update(JSON.stringify(options)).digest('hex');

const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveTypeScript(request, parent, ...rest) {
  if (/^\.{1,2}\/.*\.js$/.test(request) && /\.ts$/.test(parent?.filename ?? '')) {
    return resolve.call(this, `${request.slice(0, -'.js'.length)}.ts`, parent, ...rest);
  }
  return resolve.call(this, request, parent, ...rest);
};

Module._extensions['.ts'] ??= (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  const path = join(KEPT, createHash('sha256').update(`${HOW}\0${filename}\0${source}`).digest('hex'));
  let code;
  try {
    code = readFileSync(path, 'utf8');
  } catch {
    code = compiled(filename, source);
    keep(path, code);
  }
  module._compile(code, filename);
};

function compiled(filename, source) {
  const { transformSync } = require('@swc/core');
  return transformSync(source, { filename, sourceMaps: 'inline', ...options }).code;
}

function keep(path, code) {
  try {
    mkdirSync(KEPT, { recursive: true });
    // Another process may read it meanwhile.
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, code);
    renameSync(unfinished, path);
  } catch {
    // The packages may belong to another user, or the process to one without rights.
  }
}
