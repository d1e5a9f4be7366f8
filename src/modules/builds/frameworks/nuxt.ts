import { type Preset } from './preset.js';
import { buildsWith, nitroServer, OWN_SERVER } from './shared-modes.js';
import { withVariables } from './start-commands.js';

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
    {
      ...OWN_SERVER,
      condition: 'with Nuxt 2',
      when: (source) => source.majorOf('nuxt') === 2,
      leaves: ['.nuxt/dist/server'],
      start: () => withVariables({ HOST: '0.0.0.0' }, 'node', 'node_modules/nuxt/bin/nuxt.js', 'start'),
    },
    nitroServer('_nuxt'),
  ],
};
