import { type Preset } from './preset.js';
import { baseIn, type Source } from './source.js';

/** The directory of the pages, which holds `.vuepress`, with a slash. */
const place = (source: Source): string =>
  ['', 'docs/', 'src/', 'website/'].find((directory) => source.has(`${directory}.vuepress`)) ?? '';

export const vuepress: Preset = {
  name: 'vuepress',
  title: 'VuePress',
  detect: { packages: ['vuepress'] },
  build: (source) => `npx vuepress build ${place(source)}`.trim(),
  buildScripts: ['docs:build', 'build'],
  modes: [
    {
      kind: 'site',
      outputs: (source) => [`${place(source)}.vuepress/dist`],
      immutable: ['assets'],
      base: (source) => baseIn(source.config(`${place(source)}.vuepress/config`), 'base'),
    },
  ],
};
