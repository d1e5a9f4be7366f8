import { type Preset } from './preset.js';
import { directoryIn, propertyOf } from './source.js';

export const nextjs: Preset = {
  name: 'nextjs',
  title: 'Next.js',
  detect: { packages: ['next'] },
  build: 'npx next build',
  environment: { NEXT_PRIVATE_STANDALONE: 'true' },
  caches: ['.next/cache'],
  leavesModulesAlone: true,
  modes: [
    {
      kind: 'site',
      condition: "with `output: 'export'`",
      when: (source) => propertyOf(source.config('next.config'), 'output') === 'export',
      outputs: (source) => [directoryIn(source.config('next.config'), 'distDir') ?? 'out', 'out'],
      immutable: ['_next/static'],
    },
    {
      kind: 'server',
      tree: 'standalone',
      start: () => ['node', 'server.js'],
      publicFiles: [
        { directory: '.next/static', prefix: '/_next/static', immutable: true },
        { directory: 'public', prefix: '/' },
      ],
    },
  ],
};
