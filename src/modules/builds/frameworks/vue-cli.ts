import { type Preset } from './preset.js';
import { SERVER_BESIDE_PAGES } from './shared-modes.js';
import { baseIn, directoryIn } from './source.js';

export const vueCli: Preset = {
  name: 'vue-cli',
  title: 'Vue CLI',
  aliases: ['vue'],
  detect: { packages: ['@vue/cli-service'] },
  build: 'npx vue-cli-service build',
  modes: [
    SERVER_BESIDE_PAGES,
    {
      kind: 'site',
      outputs: (source) => [directoryIn(source.config('vue.config'), 'outputDir') ?? 'dist'],
      base: (source) => baseIn(source.config('vue.config'), 'publicPath'),
      fallback: 'index.html',
    },
  ],
};
