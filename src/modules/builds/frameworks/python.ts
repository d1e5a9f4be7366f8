import { type Preset, type ServerMode } from './preset.js';
import { type Source } from './source.js';
import { PYTHON_PACKAGES, pythonCommand } from './start-commands.js';

const WITH_PACKAGES = `PYTHONPATH="$PWD/${PYTHON_PACKAGES}"`;

const isFor =
  (framework: string) =>
  ({ python }: Source): boolean =>
    python?.application?.framework === framework;

/** A server package is installed too, unless the project has one itself. */
const installWith =
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

const wsgi = serverOf(
  (target) => `-m gunicorn --bind "0.0.0.0:$PORT" --workers 2 --access-logfile - --forwarded-allow-ips "*" "${target}"`,
);

const asgi = serverOf((target) => {
  const factory = target.endsWith('()') ? ' --factory' : '';
  const name = target.replace('()', '');
  return `-m uvicorn --host 0.0.0.0 --port "$PORT" --proxy-headers --forwarded-allow-ips "*"${factory} "${name}"`;
});

const GUNICORN = 'gunicorn==26.2.0';
const UVICORN = 'uvicorn==0.54.0';
/** Python projects may have a package.json for their style sheets, which does not build them. */
const OWN_BUILD = { buildScripts: [] } as const;

export const django: Preset = {
  name: 'django',
  title: 'Django',
  detect: { when: isFor('django'), condition: '`manage.py`, with `wsgi.py` beside the settings' },
  ...OWN_BUILD,
  build: (source) =>
    source.python?.application?.collectsFiles === true
      ? `${WITH_PACKAGES} python3 manage.py collectstatic --noinput`
      : null,
  install: installWith(GUNICORN),
  modes: [wsgi],
};

export const flask: Preset = {
  name: 'flask',
  title: 'Flask',
  detect: { when: isFor('flask'), condition: 'a Python file such as `app.py` with an application or `create_app`' },
  ...OWN_BUILD,
  build: null,
  install: installWith(GUNICORN),
  modes: [wsgi],
};

export const fastapi: Preset = {
  name: 'fastapi',
  title: 'FastAPI',
  detect: { when: isFor('fastapi'), condition: 'a Python file such as `main.py` with an application' },
  ...OWN_BUILD,
  build: null,
  install: installWith(UVICORN),
  modes: [asgi],
};

/** A project with packages whose application was not found. It starts with the start command of the project. */
export const python: Preset = {
  name: 'python',
  title: 'Python',
  detect: {
    when: (source) =>
      source.python !== null && !source.hasManifest && !source.entries.some((name) => /\.html?$/i.test(name)),
    condition: '`requirements.txt`, `pyproject.toml` or a lock file of Python, and no application that is known',
  },
  ...OWN_BUILD,
  build: null,
  install: ({ python: found }) => (found?.packages == null ? null : `install-python-packages ${found.packages}`),
  modes: [
    {
      kind: 'refused',
      code: 'framework_not_found',
      message: () =>
        'Found a Python project, and no application of Flask, FastAPI or Django in a usual place such as app.py, ' +
        'main.py or manage.py. Set the start command of the project, such as `gunicorn package.module:app`.',
    },
  ],
};
