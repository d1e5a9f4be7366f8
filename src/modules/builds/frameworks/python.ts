import { type Preset } from './preset.js';
import { OWN_BUILD } from './python-projects.js';
import { pythonCommand } from './start-commands.js';

/** A project with packages whose application was not found. It starts with the start command of the project. */
export const python: Preset = {
  name: 'python',
  title: 'Python',
  detect: {
    when: (source) =>
      source.python !== null &&
      !source.hasManifest &&
      !source.entries.some((name) => /\.html?$/i.test(name) || /^mkdocs\.ya?ml$/.test(name)),
    condition: '`requirements.txt`, `pyproject.toml` or a lock file of Python, and no application that is known',
  },
  ...OWN_BUILD,
  build: null,
  install: ({ python: found }) => (found?.packages == null ? null : `install-python-packages ${found.packages}`),
  modes: [
    {
      kind: 'server',
      condition: 'with a `web` process in a Procfile',
      when: ({ webProcess }) => webProcess !== null,
      tree: 'repository',
      start: ({ webProcess }) => pythonCommand(webProcess!),
    },
    {
      kind: 'refused',
      code: 'framework_not_found',
      message: () =>
        'Found a Python project, and no application of Flask, FastAPI or Django in a usual place such as app.py, ' +
        'main.py or manage.py. Set the start command of the project, such as `gunicorn package.module:app`, or add ' +
        'it to a Procfile.',
    },
  ],
};
