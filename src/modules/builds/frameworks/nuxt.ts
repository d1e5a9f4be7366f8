import { type Preset } from './preset.js';
import { buildsWith, nitroServer } from './shared-modes.js';

export const nuxt: Preset = {
  name: 'nuxt',
  title: 'Nuxt',
  aliases: ['nuxtjs'],
  detect: { packages: ['nuxt', 'nuxt3'] },
  build: 'npx nuxt build',
  environment: { NITRO_PRESET: 'node-server', NUXT_TELEMETRY_DISABLED: '1' },
  modes: [
    {
      kind: 'site',
      condition: 'when the build script runs `nuxt generate`',
      when: (source) =>
        buildsWith(source, /\bnux[ti] generate\b/) && !/\bnux[ti] build\b/.test(source.script('build') ?? ''),
      outputs: ['.output/public', 'dist'],
      immutable: ['_nuxt'],
      fallback: '200.html',
    },
    nitroServer('_nuxt'),
  ],
};
