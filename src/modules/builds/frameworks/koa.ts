import { EXPORTED_APP } from './exported-app.js';
import { type Preset } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';

export const koa: Preset = {
  name: 'koa',
  title: 'Koa',
  detect: { packages: ['koa'] },
  build: null,
  modes: [EXPORTED_APP, OWN_SERVER],
};
