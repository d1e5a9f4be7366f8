import { type Preset } from './preset.js';
import { GUNICORN, installWith, isFor, OWN_BUILD, WITH_PACKAGES, wsgi } from './python-projects.js';
import { type Source } from './source.js';

/** The directory of `manage.py`, relative to the root directory. */
const placeOf = ({ python }: Source): string => {
  const directory = python?.application?.directory ?? '';
  return directory === '' ? '' : `${directory}/`;
};

export const django: Preset = {
  name: 'django',
  title: 'Django',
  detect: {
    when: isFor('django'),
    condition: '`manage.py`, at the top or one directory below, with `wsgi.py` beside the settings',
  },
  ...OWN_BUILD,
  build: (source) =>
    source.python?.application?.collectsFiles === true
      ? `${WITH_PACKAGES} python3 ${placeOf(source)}manage.py collectstatic --noinput`
      : null,
  install: installWith(GUNICORN),
  modes: [wsgi],
};
