import { type Adapter, type Preset } from './preset.js';
import { forAnotherHost, isForLambda } from './other-hosts.js';
import { OWN_SERVER } from './shared-modes.js';
import { type Source } from './source.js';
import { serverFileOf, startOf } from './start-commands.js';

const LAUNCHER = '.adapter/serve.mjs';

export const hono: Preset = {
  name: 'hono',
  title: 'Hono',
  detect: { packages: ['hono'] },
  build: null,
  modes: [
    forAnotherHost((source) => source.has('fastly.toml') || isForLambda(source)),
    {
      ...OWN_SERVER,
      condition: 'with `@hono/node-server` or a `start` script',
      when: (source) =>
        source.uses('@hono/node-server') ||
        (source.script('start') !== undefined && !source.runsDevServer(source.script('start')!)),
      start: (source) => startOf(source),
    },
    {
      ...OWN_SERVER,
      condition: 'otherwise `@hono/node-server` is added and serves the default export',
      when: (source) => appFileOf(source) !== null,
      start: () => ['node', '--import', './.adapter/node_modules/tsx/dist/loader.mjs', LAUNCHER],
      adapter: launcherOf,
    },
    {
      kind: 'refused',
      code: 'framework_not_found',
      message: () =>
        'Hono was found, but neither a start script nor a file such as src/index.ts that exports the app. ' +
        'Add a start script, or set the start command of the project.',
    },
  ],
};

const appFileOf = (source: Source): string | null =>
  serverFileOf(source) ?? ['src/index.tsx', 'index.tsx'].find((file) => source.has(file)) ?? null;

function launcherOf(source: Source): Adapter {
  const file = appFileOf(source)!;
  return {
    packages: ['@hono/node-server@^1', 'tsx@^4'],
    links: [],
    files: {
      [LAUNCHER]: [
        `import { serve } from '@hono/node-server';`,
        `import * as found from ${JSON.stringify(`../${file}`)};`,
        '',
        'const exported = found.default;',
        // A file of CommonJS has its default export one level below.
        'const app = exported?.fetch === undefined ? exported?.default : exported;',
        `if (app?.fetch === undefined) throw new Error(${JSON.stringify(`${file} exports no app by default.`)});`,
        `serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '0.0.0.0' });`,
        '',
      ].join('\n'),
    },
    reason: 'The project exports an app and starts no server.',
  };
}
