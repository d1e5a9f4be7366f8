"""Resolves and installs packages of Python for a layer, in the isolation of a build.

`lock` reads a requirement from each line of standard input and prints what they resolve to, with hashes. `install`
reads what `lock` has printed. Only wheels are installed, because no code of a package may run here.
"""

import compileall
import json
import os
import py_compile
import subprocess
import sys

from install_packages import Refused, pip_command, trusted_index

TARGET = "/work/layer"
REPORT = "/tmp/report.json"
REQUIREMENTS = "/tmp/requirements.txt"
LIMIT = 1_048_576
OPTIONS = [
    "--only-binary=:all:", "--no-compile", "--no-warn-script-location", "--root-user-action", "ignore",
    "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--quiet", "--target", TARGET,
]


def pip(*arguments):
    command = [*pip_command(), "install", *OPTIONS, *trusted_index(), *arguments]
    # Nothing but the lock is on standard output.
    status = subprocess.run(command, check=False, stdout=sys.stderr).returncode
    if status != 0:
        sys.exit(status)


def line_of(item):
    name, version = item["metadata"]["name"], item["metadata"]["version"]
    info = item.get("download_info", {}).get("archive_info", {})
    # pip before 23.1 writes `hash` only.
    found = info.get("hashes", {}).get("sha256") or info.get("hash", "").removeprefix("sha256=")
    if item.get("is_direct") or len(found) != 64:
        raise Refused(f"{name} {version} does not come from the package index with a SHA-256 hash.")
    return f"{name}=={version} --hash=sha256:{found}"


def lock():
    pip("--dry-run", "--ignore-installed", "--report", REPORT, "-r", REQUIREMENTS)
    with open(REPORT, encoding="utf-8") as file:
        installs = json.load(file)["install"]
    sys.stdout.write("".join(f"{line}\n" for line in sorted(line_of(item) for item in installs)))


def install():
    pip("--no-deps", "--require-hashes", "-r", REQUIREMENTS)
    # Programs cannot write beside the modules, and times of modification do not outlive the copy of the files.
    compileall.compile_dir(TARGET, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def main(work):
    wanted = sys.stdin.buffer.read(LIMIT + 1)
    if len(wanted) > LIMIT:
        raise Refused("The lock is too long.")
    with open(REQUIREMENTS, "wb") as file:
        file.write(wanted)
    os.makedirs(TARGET, exist_ok=True)
    {"lock": lock, "install": install}[work]()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Refused as refused:
        sys.exit(str(refused))
