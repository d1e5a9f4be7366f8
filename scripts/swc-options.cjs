/** How TypeScript becomes what runs: in the build, in Jest, and where tests start a file by itself. */
module.exports = {
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    // Nest reads the types of parameters from the metadata of decorators.
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
};
