import { type Preset } from './preset.js';
import { GUNICORN, installWith, isFor, OWN_BUILD, wsgi } from './python-projects.js';

export const flask: Preset = {
  name: 'flask',
  title: 'Flask',
  detect: { when: isFor('flask'), condition: 'a Python file such as `app.py` with an application or `create_app`' },
  ...OWN_BUILD,
  build: null,
  install: installWith(GUNICORN),
  modes: [wsgi],
};
