import { type Preset } from './preset.js';
import { baseIn, type Source } from './source.js';

/** The directory of the pages, which holds `.vitepress`. */
const place = (source: Source): string =>
  ['', 'docs', 'src', 'website'].find((directory) =>
    source.has(directory === '' ? '.vitepress' : `${directory}/.vitepress`),
  ) ?? '';
const below = (directory: string, path: string): string => (directory === '' ? path : `${directory}/${path}`);

export const vitepress: Preset = {
  name: 'vitepress',
  title: 'VitePress',
  detect: {
    packages: ['vitepress'],
    when: (source) => !source.has('index.html'),
    condition: 'without an index.html',
  },
  build: (source) => `npx vitepress build ${place(source)}`.trim(),
  buildScripts: ['docs:build', 'build'],
  modes: [
    {
      kind: 'site',
      outputs: (source) => [below(place(source), '.vitepress/dist')],
      immutable: ['assets'],
      base: (source) => baseIn(source.config(below(place(source), '.vitepress/config')), 'base'),
    },
  ],
};
