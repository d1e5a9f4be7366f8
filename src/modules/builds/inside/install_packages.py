"""Installs the packages of a Python project below `.python_packages`, inside of a sandbox.

    python3 install_packages.py <file> [<package==version> …]

The file says what to install: uv.lock, poetry.lock, Pipfile.lock, requirements.txt or pyproject.toml. A lock file is
read here instead of by the tool that wrote it, so that no such tool has to be fetched; every file of it is then checked
against the hashes of the lock. The packages named after it are servers, and are installed if the project does not have
them itself.
"""

import compileall
import hashlib
import json
import os
import py_compile
import re
import subprocess
import sys
import urllib.parse
import urllib.request

if sys.version_info < (3, 11):
    sys.exit(f"Python {sys.version.split()[0]} is too old to install packages: 3.11 is needed.")

import tomllib

TARGET = ".python_packages"
PIP_VERSION = "26.2.1"
PIP_SHA256 = "71138adf1f4ca900cdb7d289c21b7494329f2332b6d85f0e1c42108c0384ed3e"
LARGEST_FILE = 32 * 1024 * 1024


class Refused(Exception):
    """The reason why nothing was installed. The user reads it."""


def canonical(name):
    """PEP 503: `Flask_SQLAlchemy` and `flask-sqlalchemy` are one package."""
    return re.sub(r"[-_.]+", "-", name).lower()


def text_of(path):
    if os.path.getsize(path) > LARGEST_FILE:
        raise Refused(f"{path} is larger than {LARGEST_FILE} bytes.")
    with open(path, encoding="utf-8") as file:
        return file.read()


def toml_of(path):
    try:
        return tomllib.loads(text_of(path))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(f"{path} is not valid TOML: {error}.") from None


def pyproject():
    return toml_of("pyproject.toml") if os.path.isfile("pyproject.toml") else {}


def direct_dependencies():
    """The names that pyproject.toml requires."""
    project = pyproject()
    named = [re.match(r"[A-Za-z0-9._-]+", text) for text in project.get("project", {}).get("dependencies", [])]
    of_poetry = project.get("tool", {}).get("poetry", {}).get("dependencies", {})
    return [canonical(found.group()) for found in named if found] + [
        canonical(name)
        for name, value in of_poetry.items()
        if name != "python" and not (isinstance(value, dict) and value.get("optional"))
    ]


def require_current(lock, tool, names):
    missing = [name for name in direct_dependencies() if name not in names]
    if missing:
        raise Refused(
            f"{lock} does not contain {', '.join(missing[:5])}, which pyproject.toml requires. "
            f"Run `{tool} lock` and commit the file."
        )


class Walk:
    """Follows the dependencies of a lock, and collects under which markers each package is wanted."""

    def __init__(self):
        self.wanted = {}
        self.seen = set()

    def reach(self, key, extra, markers):
        """True when this way to a package is new. Markers of one way are joined by `and`."""
        if (key, extra, markers) in self.seen:
            return False
        self.seen.add((key, extra, markers))
        ways = self.wanted.setdefault(key, set())
        # A way with fewer conditions includes this one.
        if not any(way <= markers for way in ways):
            self.wanted[key] = {way for way in ways if not markers <= way} | {markers}
        return True


def marker_of(ways):
    if any(not way for way in ways):
        return ""
    return " or ".join(sorted(" and ".join(f"({marker})" for marker in sorted(way)) for way in ways))


def line_of(name, version, ways, hashes):
    if not hashes:
        raise Refused(f"The lock file has no hashes for {name} {version}. Packages must come from a package index.")
    marker = marker_of(ways)
    parts = [f"{name}=={version}" + (f" ; {marker}" if marker else "")]
    return " ".join(parts + [f"--hash={each}" for each in sorted(set(hashes))])


def lines_of_uv(path="uv.lock"):
    packages = toml_of(path).get("package", [])
    by_name = {}
    for package in packages:
        by_name.setdefault(canonical(package["name"]), []).append(package)
    require_current(path, "uv", by_name)
    roots = [each for each in packages if {"virtual", "editable"} & set(each.get("source", {})) and own(each) == "."]
    if not roots:
        raise Refused("uv.lock does not contain the project itself. Run `uv lock` and commit the file.")
    walk = Walk()
    waiting = [(each, None, frozenset()) for each in roots]
    while waiting:
        package, extra, markers = waiting.pop()
        if not walk.reach((canonical(package["name"]), package.get("version", "")), extra, markers):
            continue
        more = package.get("optional-dependencies", {}).get(extra, []) if extra else package.get("dependencies", [])
        for edge in more:
            known = by_name.get(canonical(edge["name"]), [])
            chosen = [each for each in known if edge.get("version", each.get("version")) == each.get("version")]
            under = markers | ({edge["marker"]} if "marker" in edge else frozenset())
            for each in chosen:
                waiting.extend((each, name, under) for name in [None, *edge.get("extra", [])])
    lines = []
    for (name, version), ways in sorted(walk.wanted.items()):
        package = next(each for each in by_name[name] if each.get("version", "") == version)
        source = package.get("source", {})
        if package in roots:
            continue
        if "registry" not in source:
            place = own(package)
            if place is None:
                raise Refused(f"{name} comes from {next(iter(source), 'nowhere')}. Packages must come from an index.")
            # A package of the workspace, which lies in this repository.
            lines.append(("local", place))
            continue
        files = [package["sdist"]] if "sdist" in package else []
        hashes = [file["hash"] for file in files + package.get("wheels", []) if "hash" in file]
        lines.append(("locked", line_of(name, version, ways, hashes)))
    return lines


def own(package):
    source = package.get("source", {})
    return next((source[kind] for kind in ("virtual", "editable", "directory") if kind in source), None)


def lines_of_poetry(path="poetry.lock"):
    packages = toml_of(path).get("package", [])
    by_name = {}
    for package in packages:
        by_name.setdefault(canonical(package["name"]), []).append(package)
    require_current(path, "poetry", by_name)
    walk = Walk()
    waiting = []

    def follow(name, value, markers):
        """`value` is what poetry writes for a dependency: a version, a table, or a list of tables."""
        for edge in value if isinstance(value, list) else [value]:
            table = edge if isinstance(edge, dict) else {}
            if table.get("optional"):
                continue
            under = markers | ({table["markers"]} if "markers" in table else frozenset())
            for package in by_name.get(canonical(name), []):
                waiting.extend((package, extra, under) for extra in [None, *table.get("extras", [])])

    project = pyproject()
    for name, value in project.get("tool", {}).get("poetry", {}).get("dependencies", {}).items():
        if name != "python":
            follow(name, value, frozenset())
    for text in project.get("project", {}).get("dependencies", []):
        found = re.match(r"([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?[^;]*(?:;\s*(.+))?", text)
        if found:
            extras = [each.strip() for each in (found.group(2) or "").split(",") if each.strip()]
            table = {"extras": extras} | ({"markers": found.group(3).strip()} if found.group(3) else {})
            follow(found.group(1), table, frozenset())
    while waiting:
        package, extra, markers = waiting.pop()
        if not walk.reach((canonical(package["name"]), package["version"]), extra, markers):
            continue
        if extra is None:
            for name, value in package.get("dependencies", {}).items():
                follow(name, value, markers)
            continue
        for text in package.get("extras", {}).get(extra, []):
            found = re.match(r"[A-Za-z0-9._-]+", text)
            if found:
                follow(found.group(), {}, markers)
    lines = []
    for (name, version), ways in sorted(walk.wanted.items()):
        package = next(each for each in by_name[name] if each["version"] == version)
        kind = package.get("source", {}).get("type")
        if kind == "directory":
            lines.append(("local", package["source"]["url"]))
            continue
        if kind in ("git", "url", "file"):
            raise Refused(f"{name} comes from {kind}. Packages must come from an index.")
        lines.append(("locked", line_of(name, version, ways, [file["hash"] for file in package.get("files", [])])))
    return lines


def lines_of_pipenv(path="Pipfile.lock"):
    try:
        packages = json.loads(text_of(path)).get("default", {})
    except ValueError:
        raise Refused(f"{path} is not valid JSON.") from None
    lines = []
    for name, package in sorted(packages.items()):
        version = package.get("version", "")
        if not version.startswith("=="):
            raise Refused(f"{name} has no version in {path}. Packages must come from an index.")
        ways = {frozenset([package["markers"]])} if "markers" in package else {frozenset()}
        lines.append(("locked", line_of(name, version[2:], ways, package.get("hashes", []))))
    return lines


def lines_of_project(path="pyproject.toml"):
    project = toml_of(path)
    texts = project.get("project", {}).get("dependencies")
    if texts is None:
        raise Refused(
            f"{path} names no dependencies as [project] dependencies. Add a lock file of uv or poetry, "
            "or a requirements.txt."
        )
    return [("plain", text) for text in texts]


READERS = {
    "uv.lock": lines_of_uv,
    "poetry.lock": lines_of_poetry,
    "Pipfile.lock": lines_of_pipenv,
    "pyproject.toml": lines_of_project,
}


def fetched_pip():
    """The pinned pip, for systems that have Python without pip. A wheel of pip runs without being installed."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    name = f"pip-{PIP_VERSION}-py3-none-any.whl"
    try:
        with urllib.request.urlopen(f"{index}/pip/", timeout=60) as answer:
            base, page = answer.url, answer.read(LARGEST_FILE).decode("utf-8", "replace")
        found = re.search(r"""href=["']([^"']*/""" + re.escape(name) + r"""[^"']*)["']""", page)
        if found is None:
            raise Refused(f"The package index {index} does not have {name}.")
        address = urllib.parse.urljoin(base, found.group(1).replace("&amp;", "&"))
        with urllib.request.urlopen(address, timeout=60) as answer:
            wheel = answer.read(LARGEST_FILE)
    except OSError as error:
        raise Refused(f"The package index {index} could not be reached: {error}.") from None
    if hashlib.sha256(wheel).hexdigest() != PIP_SHA256:
        raise Refused(f"The package index {index} delivered another {name} than the one that is pinned.")
    path = os.path.join("/tmp", name)
    with open(path, "wb") as file:
        file.write(wheel)
    return [sys.executable, os.path.join(path, "pip")]


def pip_command():
    has_pip = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False)
    return [sys.executable, "-m", "pip"] if has_pip.returncode == 0 else fetched_pip()


def trusted_index():
    """pip leaves out an index by plain HTTP that it is not told to trust. Builds reach only those of the operator."""
    index = urllib.parse.urlsplit(os.environ.get("PIP_INDEX_URL", ""))
    return ["--trusted-host", index.netloc.rpartition("@")[2]] if index.scheme == "http" else []


def install(pip, arguments):
    options = ["--target", TARGET, "--no-compile", "--no-warn-script-location", "--root-user-action", "ignore"]
    quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    command = [*pip, "install", *quiet, *trusted_index(), *options, *arguments]
    status = subprocess.run(command, check=False).returncode
    if status != 0:
        sys.exit(status)


def written(name, lines):
    path = os.path.join("/tmp", name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))
    return path


def has_module(name):
    return os.path.exists(os.path.join(TARGET, name))


def name_python():
    """Commands of projects say `python`, which Debian does not have. Links out of the tree are not kept, so a file."""
    path = os.path.join(TARGET, "bin", "python")
    if os.path.lexists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nexec python3 "$@"\n')
    os.chmod(path, 0o755)


def main(source, servers):
    reader = READERS.get(source)
    lines = [] if reader is None else reader()
    pip = pip_command()
    locked = [line for kind, line in lines if kind == "locked"]
    if locked:
        install(pip, ["--no-deps", "--require-hashes", "-r", written("locked.txt", locked)])
    for place in [line for kind, line in lines if kind == "local"]:
        install(pip, ["--no-deps", f"./{place}"])
    plain = [line for kind, line in lines if kind == "plain"]
    if plain:
        install(pip, ["-r", written("plain.txt", plain)])
    if source == "requirements.txt":
        install(pip, ["-r", source])
    missing = [each for each in servers if not has_module(each.split("==")[0])]
    if missing:
        install(pip, missing)
    name_python()
    # The files are copied later, so that times of modification say nothing; and servers cannot write compiled files.
    compileall.compile_dir(TARGET, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:])
    except Refused as refused:
        sys.exit(str(refused))
