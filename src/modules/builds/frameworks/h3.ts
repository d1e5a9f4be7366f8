import { type Preset } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';

export const h3: Preset = {
  name: 'h3',
  title: 'h3',
  detect: { packages: ['h3', 'srvx'] },
  build: null,
  modes: [OWN_SERVER],
};
