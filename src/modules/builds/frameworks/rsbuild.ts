import { type Preset } from './preset.js';
import { SERVER_BESIDE_PAGES } from './shared-modes.js';

export const rsbuild: Preset = {
  name: 'rsbuild',
  title: 'Rsbuild',
  detect: { packages: ['@rsbuild/core'] },
  build: 'npx rsbuild build',
  modes: [SERVER_BESIDE_PAGES, { kind: 'site', outputs: ['dist'], immutable: ['static'], fallback: 'index.html' }],
};
