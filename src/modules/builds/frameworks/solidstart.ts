import { type Preset } from './preset.js';
import { nitroServer } from './shared-modes.js';

export const solidstart: Preset = {
  name: 'solidstart',
  title: 'SolidStart',
  aliases: ['solidstart-1'],
  detect: { packages: ['@solidjs/start', 'solid-start'] },
  build: (source) => (source.uses('vinxi') ? 'npx vinxi build' : 'npx vite build'),
  environment: { NITRO_PRESET: 'node-server', SERVER_PRESET: 'node-server' },
  modes: [nitroServer('_build')],
};
