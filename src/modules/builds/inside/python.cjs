'use strict';
/**
 * Runs inside of a sandbox as a part of `inspect.cjs`: finds how the packages of a Python project are installed, and
 * which application of which framework it has.
 */
const fs = require('node:fs');
const path = require('node:path');

/** What says which packages to install, the most exact first. */
const PACKAGE_FILES = ['uv.lock', 'poetry.lock', 'Pipfile.lock', 'requirements.txt', 'pyproject.toml'];
const LARGEST_TEXT = 262_144;
const MOST_FILES = 200;
const MOST_PLACES = 50;

/** The usual names of the file with the application, in the order in which frameworks document them. */
const FILES = ['app', 'main', 'server', 'index', 'wsgi', 'asgi', 'application', 'run', '__init__'];
const DIRECTORIES = ['', 'src', 'app', 'api', 'backend', 'server'];

/** `app = Flask(__name__)`, `app: FastAPI = fastapi.FastAPI()`. */
const APPLICATION =
  /^([A-Za-z_]\w*)[ \t]*(?::[ \t]*[\w.]+[ \t]*)?=[ \t]*(?:\w+\.)?(Flask|FastAPI|Starlette|Quart|Litestar)[ \t]*\(/m;
const FACTORY = /^def[ \t]+(create_app|make_app)[ \t]*\(/m;
/** Libraries whose programs are started by the library. */
const LIBRARY = /^(?:import|from)[ \t]+(streamlit|gradio)\b/m;
const SETTINGS = /DJANGO_SETTINGS_MODULE['"][ \t]*,[ \t]*['"]([\w.]+)\.settings/;

function textOf(file) {
  try {
    const stat = fs.lstatSync(file);
    return stat.isFile() && stat.size <= LARGEST_TEXT ? fs.readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}

function namesIn(directory) {
  try {
    return fs.readdirSync(directory, { withFileTypes: true }).filter(({ name }) => /^[A-Za-z_]\w*$/.test(name));
  } catch {
    return [];
  }
}

/** Django's `manage.py` names the settings, beside which the application lies. `at` is the directory of it. */
function djangoIn(directory, at = '') {
  const settings = SETTINGS.exec(textOf(path.join(directory, at, 'manage.py')) ?? '')?.[1];
  if (settings === undefined) return null;
  const place = path.join(directory, at, ...settings.split('.'));
  if (!fs.existsSync(path.join(place, 'wsgi.py'))) return null;
  return { framework: 'django', target: `${settings}.wsgi:application`, directory: at };
}

/** The packages at the top may be those of a project of Django below, which has none of its own. */
function djangoBelow(directory) {
  const places = namesIn(directory).filter(
    (entry) => entry.isDirectory() && packagesIn(path.join(directory, entry.name)) === null,
  );
  const found = places.slice(0, MOST_PLACES).map(({ name }) => djangoIn(directory, name));
  return found.find((application) => application !== null) ?? null;
}

function applicationIn(text) {
  const found = APPLICATION.exec(text);
  const isFlask = /\bflask\b/i.test(text);
  if (found !== null) return { framework: found[2] === 'Flask' ? 'flask' : 'fastapi', name: found[1] };
  const factory = FACTORY.exec(text)?.[1];
  if (factory === undefined) return null;
  return { framework: isFlask ? 'flask' : 'fastapi', name: `${factory}()` };
}

/** Packages at the top, such as `flaskr/__init__.py`, may have the application too. */
function candidates(directory) {
  const packages = namesIn(directory)
    .filter((entry) => entry.isDirectory() && !DIRECTORIES.includes(entry.name) && !entry.name.startsWith('test'))
    .map(({ name }) => name);
  return [...DIRECTORIES, ...packages]
    .flatMap((at) => FILES.map((name) => ({ at, name })))
    .filter(({ at, name }) => at !== '' || name !== '__init__')
    .slice(0, MOST_FILES);
}

/** Without packages at the top, a directory with packages of its own is a project for itself. */
function webIn(directory, hasPackages) {
  for (const { at, name } of candidates(directory)) {
    if (at !== '' && !hasPackages && packagesIn(path.join(directory, at)) !== null) continue;
    const text = textOf(path.join(directory, at, `${name}.py`));
    const application = text === null ? null : applicationIn(text);
    if (application === null) continue;
    // `src` is a place for modules, not a package, unless it says so.
    const isPackage = at !== '' && fs.existsSync(path.join(directory, at, '__init__.py'));
    const isRoot = at === 'src' && !isPackage;
    const parts = [...(at === '' || isRoot ? [] : [at]), ...(name === '__init__' ? [] : [name])];
    return {
      framework: application.framework,
      target: `${parts.join('.')}:${application.name}`,
      directory: isRoot ? at : '',
    };
  }
  return null;
}

/** The program at the top that a library of pages runs by a command of its own. */
function programIn(directory) {
  const names = namesOfPrograms(directory);
  for (const file of names) {
    const library = LIBRARY.exec(textOf(path.join(directory, file)) ?? '')?.[1];
    if (library !== undefined) return { file, library };
  }
  return names.length === 0 ? null : { file: names[0], library: null };
}

function namesOfPrograms(directory) {
  try {
    const files = fs.readdirSync(directory).filter((name) => /^\w{1,60}\.py$/.test(name));
    const isUsual = (name) => name === 'streamlit_app.py' || FILES.includes(name.slice(0, -3));
    return files.filter(isUsual).sort();
  } catch {
    return [];
  }
}

const packagesIn = (directory) => PACKAGE_FILES.find((name) => fs.existsSync(path.join(directory, name))) ?? null;

/** Null when nothing says that this is a Python project. */
module.exports = function python(directory) {
  const packages = packagesIn(directory);
  const here = djangoIn(directory) ?? webIn(directory, packages !== null);
  const application = here ?? (packages === null ? null : djangoBelow(directory));
  const program = application === null ? programIn(directory) : null;
  return packages === null && application === null && program === null ? null : { packages, application, program };
};
