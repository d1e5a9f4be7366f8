import { type Preset } from './preset.js';
import { directoryIn, type Source } from './source.js';

const config = (source: Source): string => source.config('eleventy.config') + source.config('.eleventy');

export const eleventy: Preset = {
  name: 'eleventy',
  title: 'Eleventy',
  detect: { packages: ['@11ty/eleventy'] },
  build: 'npx @11ty/eleventy',
  modes: [
    {
      kind: 'site',
      outputs: (source) => [directoryIn(config(source), 'output') ?? '_site', '_site', 'dist', 'public'],
    },
  ],
};
