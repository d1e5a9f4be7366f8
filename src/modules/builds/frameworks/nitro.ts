import { type Preset } from './preset.js';
import { nitroServer } from './shared-modes.js';

export const nitro: Preset = {
  name: 'nitro',
  title: 'Nitro',
  detect: { packages: ['nitro', 'nitropack'] },
  build: (source) => (source.uses('nitropack') ? 'npx nitropack build' : 'npx nitro build'),
  environment: { NITRO_PRESET: 'node-server' },
  modes: [nitroServer('assets')],
};
