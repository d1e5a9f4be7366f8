import { type PublicFiles, type ServerMode } from './preset.js';
import { type Source } from './source.js';
import { startOf, withVariables } from './start-commands.js';

/** The project starts its own server, with its packages beside it. Every request goes to that server. */
export const OWN_SERVER: ServerMode = {
  kind: 'server',
  tree: 'repository',
  start: (source) => startOf(source),
};

/** A front end with a server of its own next to it, which serves the built pages itself. */
export const SERVER_BESIDE_PAGES: ServerMode = {
  ...OWN_SERVER,
  when: (source) => source.startsItsServer,
  condition: 'with a server package and a `start` script that runs it',
};

/** The output of Nitro, which contains its packages. */
export const nitroServer = (immutable: string): ServerMode => ({
  kind: 'server',
  tree: { directory: '.output' },
  leaves: ['.output/server/index.mjs'],
  start: () => withVariables({ HOST: '0.0.0.0' }, 'node', 'server/index.mjs'),
  publicFiles: [
    { directory: `.output/public/${immutable}`, prefix: `/${immutable}`, immutable: true },
    { directory: '.output/public', prefix: '/' },
  ],
});

/** Files in a directory of the output, of which one part has names with a hash. */
export const clientFiles = (directory: string, immutable: string): readonly PublicFiles[] => [
  { directory: `${directory}/${immutable}`, prefix: `/${immutable}`, immutable: true },
  { directory, prefix: '/' },
];

export const buildsWith = (source: Source, pattern: RegExp): boolean =>
  ['build', 'generate'].some((name) => pattern.test((source.script(name) ?? '').slice(0, 2_000)));
