/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'platform-knows-no-module',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(modules|roles|main)' },
    },
    {
      name: 'modules-know-no-role',
      severity: 'error',
      from: { path: '^src/modules/' },
      to: { path: '^src/(roles|main)' },
    },
    {
      name: 'enter-a-module-by-its-front-door',
      comment: 'Files at the root of a module are its interface; its sub-folders are private.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/(?!$1/)[^/]+/[^/]+/' },
    },
    {
      name: 'services-know-no-http',
      comment:
        'Express, and what speaks HTTP, is used from http/ folders and roles only, and from folders that answer ' +
        'hosts or protocols of their own. Errors of HTTP are for everyone.',
      severity: 'error',
      from: { path: '^src/modules/[^/]+/(?!(http|host|s3|serving|wire)/)', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '(^src/.*/http/(?!http\\.errors\\.ts)|node_modules/(express|@types/express|@nestjs/platform-express)/)',
      },
    },
    {
      name: 'typeorm-stays-in-persistence',
      severity: 'error',
      from: { path: '^src/modules/[^/]+/(?!persistence/)' },
      to: { path: 'node_modules/typeorm/' },
    },
    {
      name: 'the-service-knows-no-test',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'the-client-stands-alone',
      severity: 'error',
      from: { path: '^(client|web)/' },
      to: { path: '^(src|test|migrations|bench|cli)/' },
    },
    {
      name: 'the-client-depends-on-nothing',
      comment: 'It runs in browsers too, so it imports no module of Node either.',
      severity: 'error',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'the-command-line-is-a-client',
      comment: 'It knows of the service what any user of the client library knows.',
      severity: 'error',
      from: { path: '^cli/src/' },
      to: {
        path: '^(src|test|migrations|bench)/|^client/(?!src/(index|live-sandbox|html-tables|server-events)\\.ts$)',
      },
    },
    {
      name: 'the-service-knows-no-client',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^(client|cli|web)/' },
    },
    {
      name: 'nothing-undeclared',
      comment: 'A package is used only where package.json names it for that use.',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/frameworks/fixtures/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
