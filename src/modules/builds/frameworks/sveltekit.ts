import { type Adapter, type Preset } from './preset.js';
import { clientFiles } from './shared-modes.js';
import { directoryIn, propertyOf, type Source } from './source.js';
import { withVariables } from './start-commands.js';

/** The adapter is named in svelte.config, or since version 2.60 in the plugin of vite.config. */
const config = (source: Source): string => `${source.config('svelte.config')}\n${source.config('vite.config')}`;
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
      kind: 'refused',
      condition: 'without an adapter in vite.config and without svelte.config',
      when: (source) => !usesAdapter(source, 'node') && wrapped(source) === null,
      code: 'output_not_found',
      message: () =>
        'SvelteKit has no adapter: neither svelte.config nor vite.config names one. ' +
        'Add @sveltejs/adapter-node to the packages and to the options of sveltekit() in vite.config.',
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

/** Adapters for other hosts, and adapter-auto, which knows other hosts only. */
const OTHER_ADAPTER =
  /(['"`])(?:@sveltejs\/adapter-(?!node\b|static\b)[\w-]{1,50}|svelte-adapter-[\w-]{1,50}|svelte-kit-sst)\1/;
const NODE_ADAPTERS: Readonly<Record<number, string>> = { 1: '^1', 2: '^5', 3: '^6' };

function adapterOf(source: Source): Adapter | null {
  const wraps = usesAdapter(source, 'node') ? null : wrapped(source);
  if (wraps === null) return null;
  return {
    packages: [`@sveltejs/adapter-node@${NODE_ADAPTERS[source.majorOf('@sveltejs/kit') ?? 0] ?? 'latest'}`],
    links: ['@sveltejs/adapter-node'],
    wraps,
    reason: 'The adapter of the project is for another host.',
  };
}

/** The configuration with adapter-node, or null when it has no place for an adapter. */
function wrapped(source: Source): NonNullable<Adapter['wraps']> | null {
  const vite = source.configFile('vite.config');
  if (vite !== null && OTHER_ADAPTER.test(source.text(vite)))
    return {
      file: vite,
      original: vite.replace(/^vite\.config/, 'vite.config.original'),
      text: source.text(vite).replace(OTHER_ADAPTER, `'@sveltejs/adapter-node'`),
    };
  const svelte = source.configFile('svelte.config');
  if (svelte === null) return null;
  const original = svelte.replace(/^svelte\.config/, 'svelte.config.original');
  return {
    file: svelte,
    original,
    text: [
      `import adapter from '@sveltejs/adapter-node';`,
      `import config from './${original}';`,
      '',
      'export default { ...config, kit: { ...config.kit, adapter: adapter() } };',
      '',
    ].join('\n'),
  };
}
