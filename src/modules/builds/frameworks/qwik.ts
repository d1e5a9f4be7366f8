import { type Adapter, type Preset } from './preset.js';
import { clientFiles } from './shared-modes.js';
import { type Source } from './source.js';
import { startOf, withVariables } from './start-commands.js';

const hasAdapter = (source: Source, ...names: readonly string[]): boolean =>
  names.some((name) => source.has(`adapters/${name}`));

/** The starter has no adapter. It builds the part for browsers only, until one is added. */
const lacksAdapter = (source: Source): boolean => !source.has('adapters') && source.uses('@builder.io/qwik-city');

const BUILDS_SERVER = 'npx vite build -c adapters/node-server/vite.config.ts';

export const qwik: Preset = {
  name: 'qwik',
  title: 'Qwik City',
  detect: { packages: ['@builder.io/qwik-city', '@qwik.dev/router'] },
  buildScripts: (source) => (lacksAdapter(source) ? [] : ['build']),
  build: (source) => {
    const client = source.script('build') === undefined ? 'npx qwik build' : 'npm run build';
    return lacksAdapter(source) ? `${client} && ${BUILDS_SERVER}` : client;
  },
  modes: [
    {
      kind: 'server',
      condition: 'with the adapter `express`, `fastify` or `node-server`',
      when: (source) => hasAdapter(source, 'express', 'fastify', 'node-server'),
      tree: 'repository',
      start: (source) => startOf(source, ['serve']),
      publicFiles: clientFiles('dist', 'build'),
    },
    {
      kind: 'site',
      condition: 'with the adapter `static`',
      when: (source) => hasAdapter(source, 'static', 'static-site'),
      outputs: ['dist'],
      immutable: ['build'],
    },
    {
      kind: 'server',
      condition: 'without an adapter, that of `node-server` is added',
      when: lacksAdapter,
      tree: 'repository',
      leaves: ['server/entry.node-server.js'],
      // Without these, forms are refused, because the server does not know its own origin.
      start: () =>
        withVariables(
          { PROTOCOL_HEADER: 'x-forwarded-proto', HOST_HEADER: 'x-forwarded-host' },
          'node',
          'server/entry.node-server.js',
        ),
      publicFiles: clientFiles('dist', 'build'),
      adapter: nodeServer,
    },
    {
      kind: 'refused',
      condition: 'with another adapter',
      code: 'output_not_found',
      message: () =>
        'Qwik City has no adapter that runs here: none of adapters/express, adapters/fastify, adapters/node-server ' +
        'and adapters/static was found. Run "npm run qwik add express" or "npm run qwik add static", and commit the ' +
        'result.',
    },
  ],
};

/** The adapter is a part of Qwik City itself. */
function nodeServer(): Adapter {
  return {
    packages: [],
    links: [],
    files: {
      'adapters/node-server/vite.config.ts': [
        `import { nodeServerAdapter } from '@builder.io/qwik-city/adapters/node-server/vite';`,
        `import { extendConfig } from '@builder.io/qwik-city/vite';`,
        `import base from '../../vite.config';`,
        '',
        'export default extendConfig(base, () => ({',
        '  build: {',
        '    ssr: true,',
        `    rollupOptions: { input: ['src/entry.node-server.tsx', '@qwik-city-plan'] },`,
        '  },',
        `  plugins: [nodeServerAdapter({ name: 'node-server' })],`,
        '}));',
        '',
      ].join('\n'),
      'src/entry.node-server.tsx': [
        `import { createQwikCity } from '@builder.io/qwik-city/middleware/node';`,
        `import qwikCityPlan from '@qwik-city-plan';`,
        `import { createServer } from 'node:http';`,
        `import render from './entry.ssr';`,
        '',
        'const { router, notFound, staticFile } = createQwikCity({ render, qwikCityPlan });',
        '',
        'createServer((request, response) => {',
        '  staticFile(request, response, () => {',
        '    router(request, response, () => {',
        '      notFound(request, response, () => undefined);',
        '    });',
        '  });',
        '}).listen(Number(process.env.PORT));',
        '',
      ].join('\n'),
    },
    reason: 'The project has no adapter.',
  };
}
