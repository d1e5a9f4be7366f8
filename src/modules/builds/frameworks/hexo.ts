import { type Preset } from './preset.js';

export const hexo: Preset = {
  name: 'hexo',
  title: 'Hexo',
  detect: { packages: ['hexo'] },
  build: 'npx hexo generate',
  modes: [{ kind: 'site', outputs: ['public'] }],
};
