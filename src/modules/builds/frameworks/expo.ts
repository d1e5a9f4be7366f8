import { type Adapter, type Preset } from './preset.js';
import { propertyOf, type Source } from './source.js';

/** The form of the web output in app.json or app.config: `single`, `static` or `server`. */
const webOutput = (source: Source): string | null => {
  const { expo = {} } = source.json('app.json') as { expo?: { web?: { output?: unknown } } };
  const output = expo.web?.output;
  return typeof output === 'string' ? output : propertyOf(source.config('app.config'), 'output');
};

/** The files of routes that answer on a server. */
const apiRoutes = (source: Source): string[] =>
  ['app', 'src/app'].flatMap((directory) => source.filesBelow(directory, /\+api\.[cm]?[jt]sx?$/));

const OUTPUT_SERVER = /(\boutput["']?\s{0,8}:\s{0,8})(["'`])server\2/;

export const expo: Preset = {
  name: 'expo',
  title: 'Expo (web)',
  detect: { packages: ['expo'] },
  build: 'npx expo export -p web',
  buildScripts: ['build:web', 'export:web', 'web:build', 'build'],
  cachesElsewhere: ['tmp/metro-cache'],
  leavesModulesAlone: true,
  modes: [
    {
      kind: 'refused',
      code: 'output_not_found',
      condition: "with `web.output: 'server'` and API routes",
      when: (source) => webOutput(source) === 'server' && apiRoutes(source).length > 0,
      message: (source) =>
        `Found routes that need a server of Expo: ${apiRoutes(source).slice(0, 3).join(', ')}. API routes are not ` +
        'supported. Move them to a project with a server, and set web.output to "static" or "single" in app.json.',
    },
    {
      kind: 'site',
      condition: "with `web.output: 'static'`, or `'server'`, which is built as static",
      when: (source) => ['static', 'server'].includes(webOutput(source) ?? ''),
      outputs: ['dist'],
      immutable: ['_expo/static'],
      notFound: '+not-found.html',
      adapter: staticOutput,
    },
    {
      kind: 'site',
      outputs: ['dist'],
      immutable: ['_expo/static'],
      notFound: '+not-found.html',
      fallback: 'index.html',
    },
  ],
};

/** Without API routes, a server would answer with the same pages as files. */
function staticOutput(source: Source): Adapter | null {
  const file = [source.configFile('app.config'), 'app.json'].find(
    (name) => name !== null && OUTPUT_SERVER.test(source.text(name)),
  );
  if (file == null) return null;
  return {
    packages: [],
    links: [],
    files: { [file]: source.text(file).replace(OUTPUT_SERVER, '$1$2static$2') },
    reason: `${file} asks for web.output "server", and there are no API routes, so that static files are enough.`,
  };
}
