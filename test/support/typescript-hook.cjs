/**
 * Lets plain Node run the project's TypeScript, where Jest's own loading does not reach: Jest's global set-up, and
 * the helper processes that a test starts in order to kill them. `./x.js` finds `./x.ts`, as the compiler has it.
 */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { transformSync } = require('@swc/core');
const options = require('../../scripts/swc-options.cjs');

const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveTypeScript(request, parent, ...rest) {
  if (/^\.{1,2}\/.*\.js$/.test(request) && /\.ts$/.test(parent?.filename ?? '')) {
    return resolve.call(this, `${request.slice(0, -'.js'.length)}.ts`, parent, ...rest);
  }
  return resolve.call(this, request, parent, ...rest);
};

Module._extensions['.ts'] ??= (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    sourceMaps: 'inline',
    ...options,
  });
  module._compile(code, filename);
};
