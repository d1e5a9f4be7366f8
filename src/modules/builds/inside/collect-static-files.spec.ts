import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { SMALL_DJANGO } from '../../../../test/support/small-django.js';

interface Settings {
  readonly STATIC_URL: string;
  readonly STATIC_ROOT?: string;
  readonly INSTALLED_APPS?: readonly string[];
  readonly STORAGE?: string;
}

interface Collected {
  readonly status: number | null;
  readonly said: string;
  /** The texts of the files that are published, by path. */
  readonly published: Readonly<Record<string, string>>;
  readonly atRoot: readonly string[];
}

describe('the static files of a Django project', () => {
  const directory = mkdtempSync(join(tmpdir(), 'static-files-'));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  let count = 0;

  function collected(settings: Settings): Collected {
    const project = join(directory, String(++count));
    const all = { INSTALLED_APPS: ['django.contrib.staticfiles'], STATIC_ROOT: null, ...settings };
    const files = {
      ...SMALL_DJANGO.files,
      'shop/__init__.py': '',
      'shop/settings.py': Object.entries(all)
        .map(([name, value]) => `${name} = ${value === null ? 'None' : JSON.stringify(value)}\n`)
        .join(''),
      'shop/wsgi.py': 'import django\ndjango.setup("shop.settings")\n',
      'shop/secret.py': 'SECRET = 1\n',
      'assets/css/site.css': 'h1 {}',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    const script = join(__dirname, 'collect_static_files.py');
    const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-B', script, 'shop.wsgi'], {
      cwd: project,
      encoding: 'utf8',
    });
    return {
      status,
      said: stdout + stderr,
      published: filesIn(join(project, '.static_files')),
      atRoot: settings.STATIC_ROOT === undefined ? [] : Object.keys(filesIn(join(project, settings.STATIC_ROOT))),
    };
  }

  it.each(['/static/', '/files/of/shop/'])('are published below %s, and copied to where the app looks', (url) => {
    expect(collected({ STATIC_URL: url, STATIC_ROOT: 'staticfiles' })).toEqual({
      status: 0,
      said: '',
      published: { [`${url.slice(1)}css/site.css`]: 'h1 {}' },
      atRoot: ['css/site.css'],
    });
  });

  it('are published without a STATIC_ROOT', () => {
    expect(collected({ STATIC_URL: '/static/' }).published).toEqual({ 'static/css/site.css': 'h1 {}' });
  });

  it('are nothing else than what Django collects, also where STATIC_ROOT is the project', () => {
    const { status, published, atRoot } = collected({ STATIC_URL: '/static/', STATIC_ROOT: '.' });
    expect({ status, published }).toEqual({ status: 0, published: { 'static/css/site.css': 'h1 {}' } });
    expect(atRoot).toEqual(expect.arrayContaining(['shop/secret.py', 'css/site.css']));
  });

  it('are published when they cannot be copied to STATIC_ROOT', () => {
    const { status, said, published } = collected({ STATIC_URL: '/static/', STATIC_ROOT: '/proc/shop' });
    expect({ status, published }).toEqual({ status: 0, published: { 'static/css/site.css': 'h1 {}' } });
    expect(said).toContain('The app does not find its static files at /proc/shop: ');
  });

  it.each<[string, Settings]>([
    ['STATIC_URL is https://cdn.example.com/, which', { STATIC_URL: 'https://cdn.example.com/' }],
    ['STATIC_URL is //cdn.example.com/static/, which', { STATIC_URL: '//cdn.example.com/static/' }],
    ['STATIC_URL is /static/%2e%2e/, which', { STATIC_URL: '/static/%2e%2e/' }],
    ['STATIC_URL is /a%2fb/../, which', { STATIC_URL: '/a%2fb/../' }],
    ['STATIC_URL is /, which', { STATIC_URL: '/' }],
    ['django.contrib.staticfiles is not installed', { STATIC_URL: '/static/', INSTALLED_APPS: ['shop'] }],
    ['their storage is not a directory', { STATIC_URL: '/static/', STORAGE: 'Elsewhere' }],
  ])('are left alone, because %s', (reason, settings) => {
    const { status, said, published } = collected(settings);
    expect({ status, published }).toEqual({ status: 0, published: {} });
    expect(said).toContain(`Static files are not collected, because ${reason}`);
  });
});

function filesIn(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]));
}
