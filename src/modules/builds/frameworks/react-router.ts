import { type Adapter, type Preset } from './preset.js';
import { BUILT_FOR_WORKERS } from './other-hosts.js';
import { clientFiles } from './shared-modes.js';
import { directoryIn, type Source } from './source.js';
import { startOf, withVariables } from './start-commands.js';

export const reactRouter: Preset = {
  name: 'react-router',
  title: 'React Router 7',
  detect: { packages: ['@react-router/dev'] },
  build: 'npx react-router build',
  modes: [
    BUILT_FOR_WORKERS,
    {
      kind: 'site',
      condition: 'with `ssr: false`',
      when: (source) => /\bssr\s{0,8}:\s{0,8}false\b/.test(source.config('react-router.config')),
      outputs: (source) => [`${directoryIn(source.config('react-router.config'), 'buildDirectory') ?? 'build'}/client`],
      immutable: ['assets'],
      fallback: (source) =>
        /\bprerender\b/.test(source.config('react-router.config')) ? '__spa-fallback.html' : 'index.html',
    },
    {
      kind: 'server',
      tree: 'repository',
      start: (source) =>
        source.script('start') === undefined
          ? withVariables(
              { HOST: '0.0.0.0' },
              'node',
              'node_modules/@react-router/serve/bin.cjs',
              'build/server/index.js',
            )
          : startOf(source, ['start']),
      publicFiles: (source) =>
        clientFiles(
          `${directoryIn(source.config('react-router.config'), 'buildDirectory') ?? 'build'}/client`,
          'assets',
        ),
      adapter: (source: Source): Adapter | null => {
        if (source.script('start') !== undefined || source.uses('@react-router/serve')) return null;
        const major = source.majorOf('@react-router/dev');
        return {
          packages: [`@react-router/serve@${major === null ? 'latest' : `^${major}`}`],
          links: ['@react-router/serve'],
          reason: 'The project has no server of its own.',
        };
      },
    },
  ],
};
