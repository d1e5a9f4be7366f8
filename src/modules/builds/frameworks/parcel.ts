import { type Preset } from './preset.js';
import { SERVER_BESIDE_PAGES } from './shared-modes.js';

export const parcel: Preset = {
  name: 'parcel',
  title: 'Parcel',
  detect: { packages: ['parcel', 'parcel-bundler'] },
  build: 'npx parcel build',
  modes: [SERVER_BESIDE_PAGES, { kind: 'site', outputs: ['dist'], fallback: 'index.html' }],
};
