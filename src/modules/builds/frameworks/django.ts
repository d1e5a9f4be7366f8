import { type Preset } from './preset.js';
import { GUNICORN, installWith, isFor, OWN_BUILD, wsgi } from './python-projects.js';

/** Where `inside/collect_static_files.py` puts static files, at the paths of their addresses. */
const STATIC_FILES = '.static_files';

export const django: Preset = {
  name: 'django',
  title: 'Django',
  detect: {
    when: isFor('django'),
    condition: '`manage.py`, at the top or one directory below, with `wsgi.py` beside the settings',
  },
  ...OWN_BUILD,
  build: ({ python }) => {
    const application = python?.application ?? null;
    if (application === null) return null;
    const { target, directory } = application;
    return `collect-static-files ${target.split(':')[0]!} ${directory}`.trimEnd();
  },
  install: installWith(GUNICORN),
  modes: [{ ...wsgi, publicFiles: [{ directory: STATIC_FILES, prefix: '/' }] }],
};
