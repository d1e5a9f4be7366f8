import { type ServerMode } from './preset.js';
import { type Source } from './source.js';
import { pythonCommand } from './start-commands.js';

export const isFor =
  (framework: string) =>
  ({ python }: Source): boolean =>
    python?.application?.framework === framework;

/** A server package is installed too, unless the project has one itself. */
export const installWith =
  (server: string) =>
  ({ python }: Source): string =>
    `install-python-packages ${python?.packages ?? 'none'} ${server}`;

const serverOf = (commandOf: (target: string) => string): ServerMode => ({
  kind: 'server',
  tree: 'repository',
  start: (source) => {
    const application = source.python?.application ?? null;
    if (application === null) return null;
    const paths = application.directory === '' ? '' : `:$PWD/${application.directory}`;
    // The shell is replaced by Python, so that Python receives the signals.
    return pythonCommand(`exec python3 ${commandOf(application.target)}`, paths);
  },
});

export const wsgi = serverOf(
  (target) => `-m gunicorn --bind "0.0.0.0:$PORT" --workers 2 --access-logfile - --forwarded-allow-ips "*" "${target}"`,
);

export const asgi = serverOf((target) => {
  const factory = target.endsWith('()') ? ' --factory' : '';
  const name = target.replace('()', '');
  return `-m uvicorn --host 0.0.0.0 --port "$PORT" --proxy-headers --forwarded-allow-ips "*"${factory} "${name}"`;
});

export const GUNICORN = 'gunicorn==26.2.0';
export const UVICORN = 'uvicorn==0.54.0';
/** Python projects may have a package.json for their style sheets, which does not build them. */
export const OWN_BUILD = { buildScripts: [] } as const;
