import { type Preset } from './preset.js';
import { type Source } from './source.js';

/** The form of the web output in app.json: `single`, `static` or `server`. */
const webOutput = (source: Source): unknown =>
  (source.json('app.json') as { expo?: { web?: { output?: unknown } } }).expo?.web?.output;

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
      condition: "with `web.output: 'server'`",
      when: (source) => webOutput(source) === 'server',
      message: () =>
        'app.json asks for web.output "server", whose API routes are not supported. ' +
        'Set web.output to "static" or "single".',
    },
    {
      kind: 'site',
      outputs: ['dist'],
      immutable: ['_expo/static'],
      notFound: '+not-found.html',
      fallback: (source) => (webOutput(source) === 'static' ? null : 'index.html'),
    },
  ],
};
