import { type Preset } from './preset.js';
import { BUILT_FOR_WORKERS } from './other-hosts.js';
import { clientFiles, nitroServer } from './shared-modes.js';
import { type Source } from './source.js';

const usesNitro = (source: Source): boolean =>
  source.uses('vinxi', 'nitro', 'nitropack', '@tanstack/nitro-v2-vite-plugin') ||
  /nitro/i.test(source.config('vite.config'));

export const tanstackStart: Preset = {
  name: 'tanstack-start',
  title: 'TanStack Start',
  detect: { packages: ['@tanstack/react-start', '@tanstack/solid-start', '@tanstack/start'] },
  build: (source) => (source.uses('vinxi') ? 'npx vinxi build' : 'npx vite build'),
  environment: { NITRO_PRESET: 'node-server', SERVER_PRESET: 'node-server' },
  modes: [
    BUILT_FOR_WORKERS,
    { ...nitroServer('assets'), condition: 'with Nitro', when: usesNitro },
    {
      kind: 'server',
      condition: 'otherwise `srvx` is added, which runs the handler',
      tree: 'repository',
      leaves: ['dist/server/server.js'],
      start: () => [
        'node',
        'node_modules/srvx/bin/srvx.mjs',
        '--prod',
        '--host=0.0.0.0',
        '-s',
        '../client',
        'dist/server/server.js',
      ],
      publicFiles: clientFiles('dist/client', 'assets'),
      adapter: (source) =>
        source.uses('srvx')
          ? null
          : {
              packages: ['srvx@latest'],
              links: ['srvx'],
              reason: 'The build leaves a request handler without a server.',
            },
    },
  ],
};
