import { EXPORTED_APP } from './exported-app.js';
import { type Preset } from './preset.js';
import { forAnotherHost } from './other-hosts.js';
import { OWN_SERVER } from './shared-modes.js';

export const express: Preset = {
  name: 'express',
  title: 'Express',
  detect: { packages: ['express'] },
  build: null,
  modes: [
    // It makes a function of the app, which then listens on no port.
    forAnotherHost((source) => source.uses('serverless-http') && source.script('start') === undefined),
    EXPORTED_APP,
    OWN_SERVER,
  ],
};
