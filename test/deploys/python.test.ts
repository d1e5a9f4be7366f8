import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, send, uniqueName } from '../support/make.js';
import { PackageIndex, type PythonPackage, wheelHashOf } from '../support/package-index.js';
import { SMALL_DJANGO } from '../support/small-django.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(180_000);
const LONG = 120_000;

/** Small stand-ins for the packages, because no public index is asked. They speak the real interface, WSGI. */
const FLASK: PythonPackage = {
  name: 'flask',
  version: '3.1.0',
  files: {
    'flask/__init__.py': `
class Flask:
    def __init__(self, name):
        self.routes = {}
    def get(self, path):
        return lambda function: self.routes.setdefault(path, function)
    def __call__(self, environ, start_response):
        found = self.routes.get(environ['PATH_INFO'])
        start_response('200 OK' if found else '404 Not Found', [('Content-Type', 'text/plain')])
        return [(found() if found else 'no such page').encode()]
`,
  },
};
const GUNICORN: PythonPackage = {
  name: 'gunicorn',
  version: '26.2.0',
  files: {
    'gunicorn/__init__.py': '',
    'gunicorn/__main__.py': `
import importlib, sys
from wsgiref.simple_server import make_server
module, name = sys.argv[-1].split(':')
host, port = sys.argv[sys.argv.index('--bind') + 1].split(':')
make_server(host, int(port), getattr(importlib.import_module(module), name)).serve_forever()
`,
  },
};
const GREETING: PythonPackage = {
  name: 'greeting',
  version: '1.0.0',
  files: { 'greeting.py': 'def greeting(name):\n    return f"Good day, {name}!"\n' },
};

const APP = `
import os
import sys
from flask import Flask
from greeting import greeting

app = Flask(__name__)

@app.get('/')
def index():
    return greeting(os.environ['NAME'])

@app.get('/version')
def version():
    return sys.version.split()[0]
`;

/** A project with static files, and nothing of its own that serves them. */
const SHOP = {
  'requirements.txt': 'django>=5\n',
  'manage.py': `import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')\n`,
  'shop/__init__.py': '',
  'shop/settings.py': `
INSTALLED_APPS = ['django.contrib.staticfiles']
STATIC_URL = '/files/'
STATIC_ROOT = 'collected'
`,
  'shop/wsgi.py': `
import django
django.setup('shop.settings')
def application(environ, start_response):
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [b'the app at ' + environ['PATH_INFO'].encode()]
`,
  'assets/css/site.css': 'h1 { color: teal }',
};

const POETRY_LOCK = [FLASK, GREETING]
  .map(
    (each) =>
      `[[package]]\nname = "${each.name}"\nversion = "${each.version}"\n` +
      `files = [{ file = "${each.name}.whl", hash = "${wheelHashOf(each)}" }]\n`,
  )
  .join('\n');
const PYPROJECT = '[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3"\ngreeting = "^1"\n';

// Debian has pip in a package of its own. Without it builds fetch pip from a public index, which tests do not ask.
const hasPip = spawnSync('/usr/bin/python3', ['-m', 'pip', '--version']).status === 0;
if (!hasPip && process.env['CI'] !== undefined) throw new Error('These tests need the package python3-pip.');

(hasPip ? describe : describe.skip)('a Python project', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'python-'));
  chmodSync(dataDirectory, 0o711);
  const environment: Record<string, string> = {
    DATA_DIR: dataDirectory,
    SANDBOX_ENABLED: 'false',
    DEPLOY_CONCURRENCY: '2',
  };
  const index = new PackageIndex([FLASK, GUNICORN, GREETING, SMALL_DJANGO]);
  beforeAll(async () => {
    await index.listen();
    environment['BUILD_ALLOWED_HOSTS'] = index.host;
  });
  const app = useApp(environment);
  const make = new Make(app);
  const git = new GitClient();
  afterAll(() => {
    index.close();
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  /** Pushes a new repository, and returns its first deploy when it is over, with its log. */
  async function deploy(files: Readonly<Record<string, string>>): Promise<{ deploy: any; log: string }> {
    const key = await make.key(await make.person({ plan: 'builder' }));
    const name = uniqueName('site');
    const { repo_url: repoUrl } = expectStatus(201, await app.post('/api/v1/repositories', { name }, as(key))).body
      .data as { repo_url: string };
    const { id } = expectStatus(201, await app.post('/api/v1/projects', { name, repo_url: repoUrl }, as(key))).body
      .data as { id: string };
    const variables = Object.entries({ PIP_INDEX_URL: index.url, NAME: 'Ada' }).map(([variable, value]) => ({
      name: variable,
      value,
      targets: ['production'],
      secret: false,
    }));
    expectStatus(200, await send(app, ['PUT', `/api/v1/projects/${id}/env`], { variables }, as(key)));
    await git.run([
      'clone',
      '--quiet',
      repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`)),
      name,
    ]);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(git.path(name, path)), { recursive: true });
      writeFileSync(git.path(name, path), text);
    }
    await git.run(['add', '.'], { cwd: name });
    await git.run(['commit', '--quiet', '-m', 'Begin'], { cwd: name });
    await git.run(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: name });
    let found: any;
    await eventually(
      async () => {
        [found] = expectStatus(200, await app.fetch(`/api/v1/projects/${id}/deploys`, as(key))).body.data as unknown[];
        return found?.finished_at !== undefined;
      },
      'the deploy is over',
      LONG,
    );
    const { text } = await app.fetch(`/api/v1/deploys/${found.id}/logs?follow=false`, as(key));
    return { deploy: found, log: text };
  }

  async function open(url: string, path = '/'): Promise<string> {
    const host = new URL(url).host;
    const answer = await app.raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, {
      port: app.appsPort,
    });
    return answer.slice(answer.indexOf('\r\n\r\n') + 4);
  }

  it('with a requirements.txt is installed from the index, and its application answers', async () => {
    const { deploy: done, log } = await deploy({ 'requirements.txt': 'flask>=3\ngreeting==1.0.0\n', 'app.py': APP });
    expect({ ...done, log }).toEqual(expect.objectContaining({ state: 'ready', log }));
    expect(done.output.framework).toBe('flask');
    expect(await open(done.url)).toContain('Good day, Ada!');
    expect(await open(done.url, '/requirements.txt')).toContain('no such page');
    expect(await open(done.url, '/app.py')).toContain('no such page');
    expect(log).toContain('$ install-python-packages requirements.txt gunicorn==26.2.0');
  });

  it('with a lock of poetry gets the files that the lock has hashes of, and no others', async () => {
    const files = { 'pyproject.toml': PYPROJECT, 'app.py': APP };
    const { deploy: done, log } = await deploy({ ...files, 'poetry.lock': POETRY_LOCK });
    expect({ ...done, log }).toEqual(expect.objectContaining({ state: 'ready', log }));
    expect(await open(done.url)).toContain('Good day, Ada!');

    const wrong = POETRY_LOCK.replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'0'.repeat(64)}`);
    const refused = await deploy({ ...files, 'poetry.lock': wrong });
    expect(refused.deploy).toMatchObject({ state: 'error', error: { code: 'install_failed' } });
    expect(refused.log).toContain('DO NOT MATCH THE HASHES');
  });

  it('of Django has its static files at STATIC_URL, and nothing else of it is public', async () => {
    const { deploy: done, log } = await deploy(SHOP);
    expect({ ...done, log }).toEqual(expect.objectContaining({ state: 'ready', log }));
    expect(done.output.framework).toBe('django');
    expect(await open(done.url, '/files/css/site.css')).toContain('h1 { color: teal }');
    for (const path of ['/', '/shop/settings.py', '/collected/css/site.css', '/.static_files/files/css/site.css'])
      expect(await open(done.url, path)).toContain(`the app at ${path}`);
  });

  it('is refused with the reason when its lock is stale, and when nothing says how it starts', async () => {
    const stale = await deploy({
      'pyproject.toml': `${PYPROJECT}sqlalchemy = "*"\n`,
      'poetry.lock': POETRY_LOCK,
      'app.py': APP,
    });
    expect(stale.deploy).toMatchObject({ state: 'error', error: { code: 'install_failed' } });
    expect(stale.log).toContain(
      'poetry.lock does not contain sqlalchemy, which pyproject.toml requires. Run `poetry lock` and commit the file.',
    );
    const { deploy: unknown } = await deploy({ 'requirements.txt': 'greeting\n', 'tool.py': 'print("hello")\n' });
    expect(unknown).toMatchObject({
      state: 'error',
      error: { code: 'framework_not_found', message: expect.stringContaining('Set the start command') as string },
    });
  });
});
