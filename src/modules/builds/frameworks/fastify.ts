import { type Preset } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';

export const fastify: Preset = {
  name: 'fastify',
  title: 'Fastify',
  detect: { packages: ['fastify'] },
  build: null,
  modes: [OWN_SERVER],
};
