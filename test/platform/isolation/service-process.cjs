'use strict';
// Runs a TypeScript file of this repository in a process of its own, so that a test may kill it, start it as another
// user or hand it descriptors: `node service-process.cjs <file.ts>`.

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformFileSync } = require('@swc/core');

const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, ...rest) => {
  const typescript =
    request.startsWith('.') && parent
      ? path.resolve(path.dirname(parent.filename), request.replace(/\.js$/, '.ts'))
      : '';
  return typescript !== '' && fs.existsSync(typescript) ? typescript : resolve(request, parent, ...rest);
};
Module._extensions['.ts'] = (module, file) => {
  const { code } = transformFileSync(file, {
    swcrc: false,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  module._compile(code, file);
};

require(path.resolve(process.argv[2]));
