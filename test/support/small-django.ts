import { type PythonPackage } from './package-index.js';

/**
 * The parts of Django that a build calls, for tests without a package index. It collects the files of `assets`.
 * Projects with Django itself are pushed by `npm run test:frameworks`.
 */
export const SMALL_DJANGO: PythonPackage = {
  name: 'django',
  version: '5.2.17',
  files: {
    'django/__init__.py': `
import importlib
def setup(module):
    from django.conf import settings
    settings.__dict__.update(vars(importlib.import_module(module)))
`,
    'django/apps.py': `
from django.conf import settings
class apps:
    @staticmethod
    def is_installed(name):
        return name in settings.INSTALLED_APPS
`,
    'django/conf/__init__.py': 'import types\nsettings = types.SimpleNamespace()\n',
    'django/contrib/__init__.py': '',
    'django/contrib/staticfiles/__init__.py': '',
    'django/contrib/staticfiles/storage.py': `
from django.conf import settings
from django.core.files.storage import FileSystemStorage
class Elsewhere:
    pass
staticfiles_storage = Elsewhere() if getattr(settings, 'STORAGE', None) == 'Elsewhere' else FileSystemStorage()
`,
    'django/core/__init__.py': '',
    'django/core/files/__init__.py': '',
    'django/core/files/storage.py': 'class FileSystemStorage:\n    location = None\n',
    'django/core/management.py': `
import shutil
from django.contrib.staticfiles.storage import staticfiles_storage
def call_command(name, interactive):
    assert name == 'collectstatic' and interactive is False
    shutil.copytree('assets', staticfiles_storage.location, dirs_exist_ok=True)
`,
  },
};
