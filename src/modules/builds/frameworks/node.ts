import { otherProgramOf } from './dev-servers.js';
import { type Preset } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';
import { forAnotherHost } from './other-hosts.js';
import { type Source } from './source.js';
import { serverFileOf } from './start-commands.js';

const hasPages = (source: Source): boolean => source.entries.some((name) => /\.html?$/i.test(name));

/** Otherwise a file is started because of its name. */
const saysHowToStart = (source: Source): boolean =>
  source.webProcess !== null ||
  (source.script('start') !== undefined && !source.runsDevServer(source.script('start')!));

const startScript = (source: Source): string => source.script('start') ?? source.webProcess ?? '';

const startedProgram = (source: Source): string | null => otherProgramOf(startScript(source));

export const node: Preset = {
  name: 'node',
  title: 'Node.js',
  detect: {
    when: (source) => {
      if (!source.hasManifest) return false;
      const start = source.script('start');
      if (start !== undefined) return !source.runsDevServer(start);
      if (source.webProcess !== null) return true;
      return (
        source.script('build') === undefined &&
        !hasPages(source) &&
        !source.has('public') &&
        serverFileOf(source) !== null
      );
    },
    condition:
      '`package.json` with a `start` script that is no server for development, a `web` process in a Procfile, or a ' +
      'file such as `server.js`',
  },
  build: null,
  modes: [
    {
      kind: 'refused',
      condition: 'with a `start` script for a program such as Electron',
      when: (source) => startedProgram(source) !== null,
      code: 'framework_not_found',
      message: (source) =>
        `Found ${startedProgram(source)!}: the start script is "${startScript(source).slice(0, 200)}". Expected ` +
        'is a site or a server for the web. Set the root directory of the project to one, set the start command to ' +
        'one that starts a server, or set the framework to static to publish files as they lie.',
    },
    forAnotherHost((source) => !saysHowToStart(source)),
    OWN_SERVER,
  ],
};
