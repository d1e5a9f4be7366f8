import { type Preset } from './preset.js';

export const storybook: Preset = {
  name: 'storybook',
  title: 'Storybook',
  detect: {
    packages: ['storybook', '@storybook/react', '@storybook/vue3', '@storybook/html', '@storybook/web-components'],
    when: (source) =>
      !source.has('index.html') &&
      (source.script('build') === undefined || source.script('build')!.includes('storybook')),
    condition: 'without an index.html or another `build` script',
  },
  build: 'npx storybook build',
  buildScripts: ['build-storybook', 'storybook:build', 'build'],
  environment: { STORYBOOK_DISABLE_TELEMETRY: '1' },
  modes: [{ kind: 'site', outputs: ['storybook-static'], immutable: ['assets'] }],
};
