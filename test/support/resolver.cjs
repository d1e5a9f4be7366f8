/**
 * Finds `./x.ts` for `./x.js`, as the compiler has it. A resolver is asked once in a worker for each import, where a
 * `moduleNameMapper` is asked again in every test file, which takes a tenth of the time to load the service.
 */
const { existsSync } = require('node:fs');
const { join, sep } = require('node:path');

const NODE_MODULES = `${sep}node_modules${sep}`;

module.exports = (request, options) => {
  if (/^\.{1,2}\/.*\.js$/.test(request) && !`${options.basedir}${sep}`.includes(NODE_MODULES)) {
    const source = join(options.basedir, `${request.slice(0, -'.js'.length)}.ts`);
    if (existsSync(source)) return source;
  }
  return options.defaultResolver(request, options);
};
