import { type Adapter, type Preset } from './preset.js';
import { clientFiles } from './shared-modes.js';
import { type Source } from './source.js';
import { startOf } from './start-commands.js';

/** Since version 2.8, Remix is a plugin of Vite. Before that it had a compiler of its own. */
const usesVite = (source: Source): boolean => source.uses('vite') && source.configFile('vite.config') !== null;

export const remix: Preset = {
  name: 'remix',
  title: 'Remix',
  detect: { packages: ['@remix-run/dev'] },
  build: (source) => (usesVite(source) ? 'npx remix vite:build' : 'npx remix build'),
  modes: [
    {
      kind: 'site',
      condition: 'with `ssr: false`',
      when: (source) => /\bssr\s{0,8}:\s{0,8}false\b/.test(source.config('vite.config')),
      outputs: ['build/client'],
      immutable: ['assets'],
      fallback: 'index.html',
    },
    {
      kind: 'server',
      tree: 'repository',
      start: (source) =>
        source.script('start') === undefined
          ? [
              'node',
              'node_modules/@remix-run/serve/dist/cli.js',
              usesVite(source) ? 'build/server/index.js' : 'build/index.js',
            ]
          : startOf(source, ['start']),
      publicFiles: (source) =>
        usesVite(source)
          ? clientFiles('build/client', 'assets')
          : [
              { directory: 'public/build', prefix: '/build', immutable: true },
              { directory: 'public', prefix: '/' },
            ],
      adapter: (source: Source): Adapter | null => {
        if (source.script('start') !== undefined || source.uses('@remix-run/serve')) return null;
        const major = source.majorOf('@remix-run/dev');
        return {
          packages: [`@remix-run/serve@${major === null ? 'latest' : `^${major}`}`],
          links: ['@remix-run/serve'],
          reason: 'The project has no server of its own.',
        };
      },
    },
  ],
};
