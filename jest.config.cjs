const shared = {
  // Test files of a worker share the modules of the service: docs/decisions/0100.
  testEnvironment: '<rootDir>/test/support/worker-environment.cjs',
  runtime: '<rootDir>/test/support/worker-runtime.cjs',
  setupFiles: ['reflect-metadata'],
  // Projects of others, with tests and packages of their own.
  modulePathIgnorePatterns: ['<rootDir>/test/frameworks/fixtures/'],
  resolver: '<rootDir>/test/support/resolver.cjs',
  transform: {
    '^.+\\.[tj]s$': ['@swc/jest', require('./scripts/swc-options.cjs')],
  },
};

/** @type {import('jest').Config} */
const config = {
  // On two processors too: a file waits for programs and servers for a part of its time. TEST_WORKERS tries another number.
  maxWorkers: Number(process.env.TEST_WORKERS || 2),
  testSequencer: '<rootDir>/test/support/test-sequencer.cjs',
  // Two or three of them, beside servers and browsers: one that has grown out of all proportion is made anew.
  workerIdleMemoryLimit: '2GB',
  // As test/support/patience.ts has it: a machine for tests alone may be a third as fast.
  testTimeout: process.env.CI ? 90_000 : 30_000,
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...shared,
      displayName: 'service',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      // They watch the whole machine for traces, or take minutes of it, so that they run alone: `npm run test:abuse`,
      // `npm run test:soak`, `npm run test:templates`, `npm run test:frameworks`, `npm run test:web`,
      // `npm run test:upgrade`, `npm run test:containers`, `npm run test:cluster`, `npm run test:helm`.
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/abuse/',
        '<rootDir>/test/alerting/',
        '<rootDir>/test/cluster/',
        '<rootDir>/test/containers/',
        '<rootDir>/test/frameworks/',
        '<rootDir>/test/helm/',
        '<rootDir>/test/templates/',
        '<rootDir>/test/upgrade/',
        '<rootDir>/test/web/',
      ],
      globalSetup: '<rootDir>/test/support/servers.setup.ts',
      globalTeardown: '<rootDir>/test/support/servers.teardown.ts',
    },
    {
      ...shared,
      // One service and one browser for all files: `npm run test:web`.
      displayName: 'web',
      testMatch: ['<rootDir>/test/web/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/web.setup.ts',
      globalTeardown: '<rootDir>/test/support/web.teardown.ts',
    },
    {
      ...shared,
      displayName: 'templates',
      testMatch: ['<rootDir>/test/templates/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/servers.setup.ts',
      globalTeardown: '<rootDir>/test/support/servers.teardown.ts',
    },
    {
      ...shared,
      displayName: 'frameworks',
      testMatch: ['<rootDir>/test/frameworks/*.test.ts'],
      globalSetup: '<rootDir>/test/support/servers.setup.ts',
      globalTeardown: '<rootDir>/test/support/servers.teardown.ts',
    },
    { ...shared, displayName: 'abuse', testMatch: ['<rootDir>/test/abuse/{abuse,sessions,time-limit}.test.ts'] },
    { ...shared, displayName: 'law', testMatch: ['<rootDir>/test/abuse/law.test.ts'] },
    {
      ...shared,
      displayName: 'alerting',
      testMatch: ['<rootDir>/test/alerting/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/servers.setup.ts',
      globalTeardown: '<rootDir>/test/support/servers.teardown.ts',
    },
    {
      ...shared,
      // The release before this one, beside this one.
      displayName: 'upgrade',
      testMatch: ['<rootDir>/test/upgrade/*.test.ts'],
      globalSetup: '<rootDir>/test/support/servers.setup.ts',
      globalTeardown: '<rootDir>/test/support/servers.teardown.ts',
    },
    {
      ...shared,
      // One image for all files, which the set-up builds: `npm run test:containers`.
      displayName: 'containers',
      testMatch: ['<rootDir>/test/containers/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/containers.setup.ts',
      globalTeardown: '<rootDir>/test/support/containers.teardown.ts',
    },
    { ...shared, displayName: 'helm', testMatch: ['<rootDir>/test/helm/*.test.ts'] },
    // It has servers of its own.
    { ...shared, displayName: 'cluster', testMatch: ['<rootDir>/test/cluster/**/*.test.ts'] },
    { ...shared, displayName: 'soak', testMatch: ['<rootDir>/test/abuse/soak.test.ts'] },
  ],
};

module.exports = async () => {
  const { runOnPinnedNode } = await import('./scripts/pinned-node.mjs');
  await runOnPinnedNode();
  return config;
};
