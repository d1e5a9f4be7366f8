import { isDevServer } from './dev-servers.js';
import { type Preset } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';
import { type Source } from './source.js';
import { serverFileOf } from './start-commands.js';

const hasPages = (source: Source): boolean => source.entries.some((name) => /\.html?$/i.test(name));

export const node: Preset = {
  name: 'node',
  title: 'Node.js',
  detect: {
    when: (source) => {
      if (!source.hasManifest) return false;
      const start = source.script('start');
      if (start !== undefined) return !isDevServer(start);
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
  modes: [OWN_SERVER],
};
