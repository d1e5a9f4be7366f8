import { type Preset } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';

export const express: Preset = {
  name: 'express',
  title: 'Express',
  detect: { packages: ['express'] },
  build: null,
  modes: [OWN_SERVER],
};
