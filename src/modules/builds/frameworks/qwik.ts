import { type Preset } from './preset.js';
import { clientFiles } from './shared-modes.js';
import { startOf } from './start-commands.js';

export const qwik: Preset = {
  name: 'qwik',
  title: 'Qwik City',
  detect: { packages: ['@builder.io/qwik-city', '@qwik.dev/router'] },
  build: 'npx qwik build',
  modes: [
    {
      kind: 'server',
      condition: 'with the adapter `express`, `fastify` or `node-server`',
      when: (source) => ['express', 'fastify', 'node-server'].some((name) => source.has(`adapters/${name}`)),
      tree: 'repository',
      start: (source) => startOf(source, ['serve']),
      publicFiles: clientFiles('dist', 'build'),
    },
    {
      kind: 'site',
      condition: 'with the adapter `static`',
      when: (source) => ['static', 'static-site'].some((name) => source.has(`adapters/${name}`)),
      outputs: ['dist'],
      immutable: ['build'],
    },
    {
      kind: 'refused',
      condition: 'without one of them',
      code: 'output_not_found',
      message: () =>
        'Qwik City has no adapter that runs here: none of adapters/express, adapters/fastify, adapters/node-server ' +
        'and adapters/static was found. Run "npm run qwik add express" or "npm run qwik add static", and commit the ' +
        'result.',
    },
  ],
};
