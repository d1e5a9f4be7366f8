import { type Preset } from './preset.js';
import { GUNICORN, installWith, isFor, OWN_BUILD, WITH_PACKAGES, wsgi } from './python-projects.js';

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
