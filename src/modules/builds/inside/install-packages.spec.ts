import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READ = `
import json, sys
sys.path.insert(0, sys.argv[1])
import install_packages
try:
    print(json.dumps(install_packages.READERS[sys.argv[2]]()))
except install_packages.Refused as refused:
    print(json.dumps({"refused": str(refused)}))
`;

type Requirements = [kind: string, line: string][] | { readonly refused: string };

/** Returns what would be given to pip for a project with these files. */
function requirementsOf(lock: string, files: Readonly<Record<string, string>>): Requirements {
  const directory = mkdtempSync(join(tmpdir(), 'python-lock-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-B', '-c', READ, __dirname, lock], {
      cwd: directory,
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Requirements;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const PROJECT = '[project]\nname = "shop"\ndependencies = ["Flask>=3", "httpx[http2]"]\n';

const UV_LOCK = `
version = 1
[[package]]
name = "shop"
version = "0.1.0"
source = { virtual = "." }
dependencies = [{ name = "flask" }, { name = "httpx", extra = ["http2"] }]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[[package]]
name = "flask"
version = "3.1.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [{ name = "click" }, { name = "importlib-metadata", marker = "python_full_version < '3.10'" }]
sdist = { url = "https://files.example/flask.tar.gz", hash = "sha256:f0" }
wheels = [{ url = "https://files.example/flask.whl", hash = "sha256:f1" }]
[[package]]
name = "click"
version = "8.1.8"
source = { registry = "https://pypi.org/simple" }
dependencies = [{ name = "colorama", marker = "sys_platform == 'win32'" }]
wheels = [{ hash = "sha256:c1" }]
[[package]]
name = "colorama"
version = "0.4.6"
source = { registry = "https://pypi.org/simple" }
wheels = [{ hash = "sha256:o1" }]
[[package]]
name = "importlib-metadata"
version = "8.6.1"
source = { registry = "https://pypi.org/simple" }
dependencies = [{ name = "click" }, { name = "importlib-metadata" }]
wheels = [{ hash = "sha256:i1" }]
[[package]]
name = "httpx"
version = "0.28.1"
source = { registry = "https://pypi.org/simple" }
wheels = [{ hash = "sha256:h1" }]
[package.optional-dependencies]
http2 = [{ name = "h2" }]
[[package]]
name = "h2"
version = "4.2.0"
source = { registry = "https://pypi.org/simple" }
wheels = [{ hash = "sha256:h2" }]
[[package]]
name = "pytest"
version = "8.3.5"
source = { registry = "https://pypi.org/simple" }
wheels = [{ hash = "sha256:p1" }]
`;

const POETRY_LOCK = `
[[package]]
name = "flask"
version = "3.1.0"
optional = false
files = [{ file = "flask.whl", hash = "sha256:f1" }]
[package.dependencies]
click = ">=8.1.3"
importlib-metadata = { version = ">=3.6", markers = "python_version < \\"3.10\\"" }
[[package]]
name = "click"
version = "8.1.8"
files = [{ file = "click.whl", hash = "sha256:c1" }]
[package.dependencies]
colorama = { version = "*", markers = "platform_system == \\"Windows\\"" }
[[package]]
name = "colorama"
version = "0.4.6"
files = [{ file = "colorama.whl", hash = "sha256:o1" }]
[[package]]
name = "importlib-metadata"
version = "8.6.1"
files = [{ file = "i.whl", hash = "sha256:i1" }]
[[package]]
name = "httpx"
version = "0.28.1"
files = [{ file = "httpx.whl", hash = "sha256:h1" }]
[package.dependencies]
h2 = { version = ">=3", optional = true, markers = "extra == \\"http2\\"" }
[package.extras]
http2 = ["h2 (>=3,<5)"]
[[package]]
name = "h2"
version = "4.2.0"
files = [{ file = "h2.whl", hash = "sha256:h2" }]
[[package]]
name = "pytest"
version = "8.3.5"
files = [{ file = "pytest.whl", hash = "sha256:p1" }]
`;

describe('the packages of a Python project', () => {
  it('have a program python, which not every system has', () => {
    const directory = mkdtempSync(join(tmpdir(), 'python-name-'));
    try {
      const name =
        'import sys; sys.path.insert(0, sys.argv[1]); import install_packages; install_packages.name_python()';
      spawnSync('/usr/bin/python3', ['-B', '-c', name, __dirname], { cwd: directory });
      const { stdout } = spawnSync(join(directory, '.python_packages/bin/python'), ['-c', 'print("a b", 7)'], {
        encoding: 'utf8',
      });
      expect(stdout).toBe('a b 7\n');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('are those of uv.lock, with hashes and markers, without those for development', () => {
    expect(requirementsOf('uv.lock', { 'pyproject.toml': PROJECT, 'uv.lock': UV_LOCK })).toEqual([
      ['locked', 'click==8.1.8 --hash=sha256:c1'],
      ['locked', "colorama==0.4.6 ; (sys_platform == 'win32') --hash=sha256:o1"],
      ['locked', 'flask==3.1.0 --hash=sha256:f0 --hash=sha256:f1'],
      ['locked', 'h2==4.2.0 --hash=sha256:h2'],
      ['locked', 'httpx==0.28.1 --hash=sha256:h1'],
      ['locked', "importlib-metadata==8.6.1 ; (python_full_version < '3.10') --hash=sha256:i1"],
    ]);
  });

  it('are those of poetry.lock', () => {
    const poetry =
      '[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3"\nhttpx = { version = "*", extras = ["http2"] }\n';
    const expected = [
      ['locked', 'click==8.1.8 --hash=sha256:c1'],
      ['locked', 'colorama==0.4.6 ; (platform_system == "Windows") --hash=sha256:o1'],
      ['locked', 'flask==3.1.0 --hash=sha256:f1'],
      ['locked', 'h2==4.2.0 --hash=sha256:h2'],
      ['locked', 'httpx==0.28.1 --hash=sha256:h1'],
      ['locked', 'importlib-metadata==8.6.1 ; (python_version < "3.10") --hash=sha256:i1'],
    ];
    expect(requirementsOf('poetry.lock', { 'pyproject.toml': poetry, 'poetry.lock': POETRY_LOCK })).toEqual(expected);
    expect(requirementsOf('poetry.lock', { 'pyproject.toml': PROJECT, 'poetry.lock': POETRY_LOCK })).toEqual(expected);
  });

  it('are those of Pipfile.lock and pyproject.toml', () => {
    const lock = {
      default: { Flask: { version: '==3.1.0', hashes: ['sha256:f1'], markers: "python_version >= '3.9'" } },
    };
    expect(requirementsOf('Pipfile.lock', { 'Pipfile.lock': JSON.stringify(lock) })).toEqual([
      ['locked', "Flask==3.1.0 ; (python_version >= '3.9') --hash=sha256:f1"],
    ]);
    expect(requirementsOf('pyproject.toml', { 'pyproject.toml': PROJECT })).toEqual([
      ['plain', 'Flask>=3'],
      ['plain', 'httpx[http2]'],
    ]);
  });

  it.each([
    ['uv.lock', UV_LOCK, 'Run `uv lock` and commit the file.'],
    ['poetry.lock', POETRY_LOCK, 'Run `poetry lock` and commit the file.'],
  ])('are not installed from a stale %s', (lock, text, advice) => {
    const project = '[project]\nname = "shop"\ndependencies = ["flask", "SQL_Alchemy"]\n';
    expect(requirementsOf(lock, { 'pyproject.toml': project, [lock]: text })).toEqual({
      refused: `${lock} does not contain sql-alchemy, which pyproject.toml requires. ${advice}`,
    });
  });

  it('are refused when a lock is broken, has no hashes, or names another place than an index', () => {
    const root = '[[package]]\nname = "shop"\nsource = { virtual = "." }\ndependencies = [{ name = "a" }]\n';
    const refusal = (text: string): unknown => requirementsOf('uv.lock', { 'uv.lock': text });
    expect(refusal('[[')).toEqual({ refused: expect.stringContaining('uv.lock is not valid TOML') as string });
    expect(refusal(`${root}[[package]]\nname = "a"\nversion = "1"\nsource = { registry = "x" }\n`)).toEqual({
      refused: 'The lock file has no hashes for a 1. Packages must come from a package index.',
    });
    expect(refusal(`${root}[[package]]\nname = "a"\nversion = "1"\nsource = { git = "https://x" }\n`)).toEqual({
      refused: 'a comes from git. Packages must come from an index.',
    });
    expect(refusal('version = 1\n')).toEqual({
      refused: 'uv.lock does not contain the project itself. Run `uv lock` and commit the file.',
    });
  });
});

describe('the index of Python packages', () => {
  it.each([
    ['http://ada:secret@packages.internal:8080/simple', ['--trusted-host', 'packages.internal:8080']],
    ['https://packages.internal/simple', []],
    [undefined, []],
  ])('that is %j is asked by pip', (index, options) => {
    const read = 'import json, sys\nsys.path.insert(0, sys.argv[1])\nimport install_packages\n';
    const { stdout } = spawnSync(
      '/usr/bin/python3',
      ['-B', '-c', `${read}print(json.dumps(install_packages.trusted_index()))`, __dirname],
      { encoding: 'utf8', env: index === undefined ? {} : { PIP_INDEX_URL: index } },
    );
    expect(JSON.parse(stdout)).toEqual(options);
  });
});
