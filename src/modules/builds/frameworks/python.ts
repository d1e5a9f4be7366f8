import { isForAnotherLanguage } from './other-languages.js';
import { type Preset } from './preset.js';
import { OWN_BUILD } from './python-projects.js';
import { type Source } from './source.js';
import { pythonCommand } from './start-commands.js';

/** A project with packages whose application was not found. It starts with the start command of the project. */
export const python: Preset = {
  name: 'python',
  title: 'Python',
  detect: {
    when: (source) =>
      source.python !== null &&
      !source.hasManifest &&
      (source.python.packages !== null || !(source.has('public') || isForAnotherLanguage(source))) &&
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
      message: (source) =>
        `${foundIn(source)}, and no application of Flask, FastAPI or Django in a usual place such as app.py, main.py ` +
        `or manage.py. Set the start command of the project, such as \`${commandFor(source)}\`, or add it to ` +
        'a Procfile.',
    },
  ],
};

const LIBRARIES: Readonly<Record<string, { readonly title: string; readonly start: (file: string) => string }>> = {
  streamlit: {
    title: 'a Streamlit app',
    start: (file) => `streamlit run ${file} --server.port $PORT --server.address 0.0.0.0 --server.headless true`,
  },
  gradio: {
    title: 'a Gradio app',
    start: (file) => `GRADIO_SERVER_NAME=0.0.0.0 GRADIO_SERVER_PORT=$PORT python3 ${file}`,
  },
};

const libraryOf = (source: Source): (typeof LIBRARIES)[string] | null => {
  const library = source.python?.program?.library ?? '';
  return Object.hasOwn(LIBRARIES, library) ? LIBRARIES[library]! : null;
};

const foundIn = (source: Source): string => {
  const file = source.python?.program?.file;
  return `Found ${libraryOf(source)?.title ?? 'a Python project'}${file === undefined ? '' : ` in ${file}`}`;
};

const commandFor = (source: Source): string =>
  libraryOf(source)?.start(source.python!.program!.file) ?? 'gunicorn package.module:app';
