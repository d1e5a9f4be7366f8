import { type Adapter, type Preset } from './preset.js';
import { clientFiles } from './shared-modes.js';
import { baseIn, directoryIn, propertyOf, type Source } from './source.js';
import { withVariables } from './start-commands.js';

const config = (source: Source): string => source.config('astro.config');
const output = (source: Source): string => directoryIn(config(source), 'outDir') ?? 'dist';

/** Pages are rendered for each request when an adapter says how, or the output is `server` or `hybrid`. */
const rendersOnRequest = (source: Source): boolean =>
  /\badapter\s{0,8}[:,]/.test(config(source)) ||
  ['server', 'hybrid'].includes(propertyOf(config(source), 'output') ?? '');

/** The major version of `@astrojs/node` for each one of Astro. */
const NODE_ADAPTERS: Readonly<Record<number, string>> = {
  2: '^5',
  3: '^6',
  4: '^8',
  5: '^9',
  6: '^10',
  7: '^11',
};

export const astro: Preset = {
  name: 'astro',
  title: 'Astro',
  detect: { packages: ['astro'] },
  build: 'npx astro build',
  environment: { ASTRO_TELEMETRY_DISABLED: '1' },
  modes: [
    {
      kind: 'server',
      condition: "with an adapter or `output: 'server'`; `@astrojs/node` is added if the project has another one",
      when: rendersOnRequest,
      tree: 'repository',
      leaves: (source) => [`${output(source)}/server/entry.mjs`],
      start: (source) => withVariables({ HOST: '0.0.0.0' }, 'node', `${output(source)}/server/entry.mjs`),
      publicFiles: (source) => clientFiles(`${output(source)}/client`, '_astro'),
      adapter: adapterOf,
    },
    {
      kind: 'site',
      outputs: (source) => [output(source)],
      immutable: ['_astro'],
      base: (source) => baseIn(config(source), 'base'),
    },
  ],
};

function adapterOf(source: Source): Adapter | null {
  const text = config(source);
  if (text.includes('@astrojs/node') && /['"`]standalone['"`]/.test(text)) return null;
  const original = source.configFile('astro.config');
  if (original === null) return null;
  const kept = original.replace(/^astro\.config/, 'astro.config.original');
  const version = NODE_ADAPTERS[source.majorOf('astro') ?? 0] ?? 'latest';
  return {
    packages: source.uses('@astrojs/node') ? [] : [`@astrojs/node@${version}`],
    links: source.uses('@astrojs/node') ? [] : ['@astrojs/node'],
    wraps: {
      file: original,
      original: kept,
      text: [
        `import node from '@astrojs/node';`,
        `import config from './${kept}';`,
        '',
        `export default { ...config, adapter: node({ mode: 'standalone' }) };`,
        '',
      ].join('\n'),
    },
    reason: 'The adapter of the project is for another host, or starts no server.',
  };
}
