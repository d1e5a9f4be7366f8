import { type Preset } from './preset.js';
import { baseIn } from './source.js';

export const docusaurus: Preset = {
  name: 'docusaurus',
  title: 'Docusaurus',
  aliases: ['docusaurus-2'],
  detect: { packages: ['@docusaurus/core'] },
  build: 'npx docusaurus build',
  modes: [
    {
      kind: 'site',
      outputs: ['build'],
      immutable: ['assets/js', 'assets/css'],
      base: (source) => baseIn(source.config('docusaurus.config'), 'baseUrl'),
    },
  ],
};
