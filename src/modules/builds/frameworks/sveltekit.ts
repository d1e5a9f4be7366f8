import { type Adapter, type Preset } from './preset.js';
import { clientFiles } from './shared-modes.js';
import { directoryIn, propertyOf, type Source } from './source.js';
import { withVariables } from './start-commands.js';

const config = (source: Source): string => source.config('svelte.config');
const usesAdapter = (source: Source, name: string): boolean => config(source).includes(`@sveltejs/adapter-${name}`);

export const sveltekit: Preset = {
  name: 'sveltekit',
  title: 'SvelteKit',
  aliases: ['sveltekit-1'],
  detect: { packages: ['@sveltejs/kit'] },
  build: 'npx vite build',
  modes: [
    {
      kind: 'site',
      condition: 'with adapter-static',
      when: (source) => usesAdapter(source, 'static'),
      outputs: (source) => [directoryIn(config(source), 'pages') ?? 'build'],
      immutable: ['_app/immutable'],
      fallback: (source: Source): string | null => {
        const page = propertyOf(config(source), 'fallback');
        return page === '404.html' ? null : page;
      },
    },
    {
      kind: 'server',
      condition: 'adapter-node is added if the project has another one',
      tree: 'repository',
      leaves: (source) => [`${outputOf(source)}/index.js`],
      // Without these, forms are refused, because the server does not know its own origin.
      start: (source) =>
        withVariables(
          { HOST: '0.0.0.0', PROTOCOL_HEADER: 'x-forwarded-proto', HOST_HEADER: 'x-forwarded-host' },
          'node',
          outputOf(source),
        ),
      publicFiles: (source) => clientFiles(`${outputOf(source)}/client`, '_app/immutable'),
      adapter: adapterOf,
    },
  ],
};

const outputOf = (source: Source): string =>
  usesAdapter(source, 'node') ? (directoryIn(config(source), 'out') ?? 'build') : 'build';

/** adapter-auto knows the hosts that it was made for, and finds none of them here. */
function adapterOf(source: Source): Adapter | null {
  const original = source.configFile('svelte.config');
  if (usesAdapter(source, 'node') || original === null) return null;
  const major = source.majorOf('@sveltejs/kit') === 1 ? 1 : 5;
  const kept = original.replace(/^svelte\.config/, 'svelte.config.original');
  return {
    packages: [`@sveltejs/adapter-node@^${major}`],
    links: ['@sveltejs/adapter-node'],
    wraps: {
      file: original,
      original: kept,
      text: [
        `import adapter from '@sveltejs/adapter-node';`,
        `import config from './${kept}';`,
        '',
        'export default { ...config, kit: { ...config.kit, adapter: adapter() } };',
        '',
      ].join('\n'),
    },
    reason: 'The adapter of the project is for another host.',
  };
}
