import { type Preset } from './preset.js';

export const vuepress: Preset = {
  name: 'vuepress',
  title: 'VuePress',
  detect: { packages: ['vuepress'] },
  build: 'npx vuepress build docs',
  buildScripts: ['docs:build', 'build'],
  modes: [
    {
      kind: 'site',
      outputs: ['docs/.vuepress/dist', '.vuepress/dist', 'src/.vuepress/dist'],
      immutable: ['assets'],
    },
  ],
};
