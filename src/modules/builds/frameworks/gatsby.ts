import { type Preset } from './preset.js';

export const gatsby: Preset = {
  name: 'gatsby',
  title: 'Gatsby',
  detect: { packages: ['gatsby'] },
  build: 'npx gatsby build',
  environment: { GATSBY_TELEMETRY_DISABLED: '1' },
  caches: ['.cache', 'public'],
  modes: [{ kind: 'site', outputs: ['public'], immutable: ['static'] }],
};
