import { type Mode } from './preset.js';
import { OWN_SERVER } from './shared-modes.js';
import { type Source } from './source.js';
import { startOf } from './start-commands.js';

const LAUNCHER = '.adapter/serve.mjs';

/** Without a script, a file is started because of its name, and it may only export the app, as other hosts ask. */
const isNamedOnly = (source: Source): boolean =>
  source.webProcess === null &&
  ['start:prod', 'start'].every((name) => source.script(name) === undefined) &&
  startOf(source)?.[0] === 'node';

/** A file that starts no server itself is one: the app that it exports is served when the program would end. */
export const EXPORTED_APP: Mode = {
  ...OWN_SERVER,
  condition: 'without a `start` script, also an app that the file exports',
  when: isNamedOnly,
  start: (source) => {
    const [program, ...args] = startOf(source)!;
    return [program!, '--import', `./${LAUNCHER}`, ...args];
  },
  adapter: (source) => ({
    packages: [],
    links: [],
    files: { [LAUNCHER]: SERVE_WHAT_IS_EXPORTED },
    reason: `No script says how to start: ${startOf(source)!.at(-1)!} is run, and the app that it exports is served.`,
  }),
};

/** Nothing waits any more in a program that listens on no port, so that a program with a server is left alone. */
const SERVE_WHAT_IS_EXPORTED = `import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

process.once('beforeExit', async () => {
  const { default: exported } = await import(pathToFileURL(process.argv[1]).href);
  const app = exported?.default ?? exported;
  const handler = typeof app?.callback === 'function' ? app.callback() : app;
  if (typeof handler === 'function') createServer(handler).listen(Number(process.env.PORT), '0.0.0.0');
});
`;
