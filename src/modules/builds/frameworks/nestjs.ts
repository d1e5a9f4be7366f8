import { type Preset } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';
import { startOf } from './start-commands.js';

export const nestjs: Preset = {
  name: 'nestjs',
  title: 'NestJS',
  detect: { packages: ['@nestjs/core'] },
  // Without its own command line, a project compiles with TypeScript alone.
  build: (source) => (source.uses('@nestjs/cli') || !source.uses('typescript') ? 'npx nest build' : 'npx tsc'),
  modes: [
    {
      ...OWN_SERVER,
      // `start` of Nest compiles and runs the source, so that the compiled program comes first.
      start: (source) => (source.script('start:prod') === undefined ? ['node', 'dist/main.js'] : startOf(source)),
    },
  ],
};
