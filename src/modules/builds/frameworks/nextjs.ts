import { type Preset } from './preset.js';
import { baseIn, directoryIn, propertyOf, type Source } from './source.js';
import { commandOf } from './start-commands.js';

const STATIC_FILES = { directory: '.next/static', prefix: '/_next/static', immutable: true };

/** `node server.js` or `tsx server.ts`: a server that runs Next.js as a part of it. */
const startsItsOwnServer = (source: Source): boolean => {
  const start = (source.script('start') ?? '').slice(0, 2_000);
  return /(?:^|[\s/])(?:node|tsx|ts-node|bun)\s/.test(start) && !/\bnext\b/.test(start);
};

export const nextjs: Preset = {
  name: 'nextjs',
  title: 'Next.js',
  // Keystone builds its own pages with Next.js, and serves them itself.
  detect: { packages: ['next'], when: (source) => !source.uses('@keystone-6/core') },
  build: 'npx next build',
  environment: { NEXT_PRIVATE_STANDALONE: 'true' },
  caches: ['.next/cache'],
  leavesModulesAlone: true,
  modes: [
    {
      kind: 'site',
      condition: "with `output: 'export'`",
      when: (source) => propertyOf(source.config('next.config'), 'output') === 'export',
      outputs: (source) => [directoryIn(source.config('next.config'), 'distDir') ?? 'out', 'out'],
      immutable: ['_next/static'],
      base: (source) => baseIn(source.config('next.config'), 'basePath'),
    },
    {
      kind: 'server',
      condition: 'with a `start` script that runs a server of the project',
      when: startsItsOwnServer,
      tree: 'repository',
      leaves: ['.next/BUILD_ID'],
      start: (source) => commandOf(source.script('start')!),
      publicFiles: [STATIC_FILES],
    },
    {
      kind: 'server',
      condition: 'otherwise',
      tree: 'standalone',
      start: () => ['node', 'server.js'],
      publicFiles: [STATIC_FILES, { directory: 'public', prefix: '/' }],
    },
  ],
};
