import { buildsWorker } from './other-hosts.js';
import { isForAnotherLanguage } from './other-languages.js';
import { type Preset } from './preset.js';
import { SERVER_BESIDE_PAGES } from './shared-modes.js';
import { baseIn, directoryIn, type Source } from './source.js';
import { startOf } from './start-commands.js';

const buildsServer = (source: Source): boolean =>
  ['build', 'build:server'].some((name) => /\s--ssr\b/.test((source.script(name) ?? '').slice(0, 2_000)));

export const vite: Preset = {
  name: 'vite',
  title: 'Vite (React, Vue, Svelte, Solid, Preact, Lit)',
  detect: {
    packages: ['vite'],
    // Laravel and Rails build scripts and styles with Vite, and no page.
    when: (source) =>
      source.has('index.html') ||
      (source.configFile('vite.config') !== null && !isForAnotherLanguage(source) && !source.uses('hono')),
    condition: 'with an index.html, or with a vite.config and without Hono or files of another language',
  },
  build: 'npx vite build',
  modes: [
    SERVER_BESIDE_PAGES,
    {
      kind: 'server',
      condition: 'with `vite build --ssr` and a `start` script',
      when: (source) => buildsServer(source) && startOf(source, ['start', 'serve', 'preview']) !== null,
      tree: 'repository',
      start: (source) => startOf(source, ['start', 'serve', 'preview']),
    },
    {
      kind: 'site',
      outputs: (source) =>
        buildsWorker(source)
          ? ['dist/client']
          : [directoryIn(source.config('vite.config'), 'outDir') ?? 'dist', 'dist'],
      immutable: ['assets'],
      base: (source) => baseIn(source.config('vite.config'), 'base'),
      fallback: 'index.html',
    },
  ],
};
