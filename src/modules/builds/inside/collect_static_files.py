"""Collects the static files of a Django project below `.static_files`, at the paths that STATIC_URL gives them.

    python3 collect_static_files.py <module of the application> [<directory of its modules>]

Outside of development Django leaves static files to the server in front of it. They are collected into an empty
directory, so that nothing else that lies at STATIC_ROOT is published, and copied to STATIC_ROOT, where the app may look
for them, too.
"""

import importlib
import os
import shutil
import sys
import urllib.parse

PUBLIC = os.path.abspath(".static_files")


def place_of(url):
    """The directory for the files of STATIC_URL, or None when it does not lead to a path of this site."""
    address = urllib.parse.urlsplit(url or "")
    parts = [part for part in urllib.parse.unquote(address.path).split("/") if part]
    is_here = not address.netloc and parts and ".." not in parts
    return os.path.join(PUBLIC, *parts) if is_here else None


def collect(place):
    from django.contrib.staticfiles.storage import staticfiles_storage
    from django.core.files.storage import FileSystemStorage
    from django.core.management import call_command

    if not isinstance(staticfiles_storage, FileSystemStorage):
        print("Static files are not collected, because their storage is not a directory.")
        return False
    staticfiles_storage.base_location = staticfiles_storage.location = place
    os.makedirs(place)
    call_command("collectstatic", interactive=False)
    return True


def copy(place, root):
    try:
        shutil.copytree(place, root, dirs_exist_ok=True)
    except OSError as error:
        print(f"The app does not find its static files at {root}: {error.strerror or 'they could not be copied'}.")


def main(module, *directories):
    # As the server finds modules, and without the directory of this program.
    sys.path[:1] = [os.path.abspath(place) for place in (".", ".python_packages", *directories)]
    importlib.import_module(module)
    from django.apps import apps
    from django.conf import settings

    shutil.rmtree(PUBLIC, ignore_errors=True)
    if not apps.is_installed("django.contrib.staticfiles"):
        print("Static files are not collected, because django.contrib.staticfiles is not installed.")
        return
    place = place_of(settings.STATIC_URL)
    if place is None:
        print(f"Static files are not collected, because STATIC_URL is {settings.STATIC_URL}, which is not a path here.")
    elif collect(place) and settings.STATIC_ROOT:
        copy(place, settings.STATIC_ROOT)


if __name__ == "__main__":
    main(*sys.argv[1:])
