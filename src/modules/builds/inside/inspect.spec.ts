import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

type Inspect = (repository: string, root: string) => Record<string, unknown>;

describe('the inspection of a source', () => {
  const inspect = createRequire(__filename)('./inspect.cjs') as Inspect;
  const repository = mkdtempSync(join(tmpdir(), 'inspected-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  };

  afterAll(() => {
    rmSync(repository, { recursive: true });
  });

  it('names submodules, pointers of Git LFS and the Procfile', () => {
    write(
      '.gitmodules',
      '[submodule "theme"]\r\n\tpath = themes/my theme\r\n\turl = https://example.org/theme.git\r\n',
    );
    write('.gitattributes', '*.png filter=lfs diff=lfs merge=lfs -text\n');
    write('img/photo.png', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n');
    write('img/icon.png', 'a picture of its own');
    write('Procfile', 'web: node lib/web.js\n');
    expect(inspect(repository, '')).toMatchObject({
      unfetched: { submodules: ['themes/my theme'], pointers: ['img/photo.png'] },
      procfile: 'web: node lib/web.js\n',
    });
  });

  it('has none of them in a plain source', () => {
    expect(inspect(repository, 'img')).toMatchObject({ procfile: null, lock: null, manifest: null });
  });

  it('knows the routes of an app by up to six names, and other paths by three', () => {
    write('src/app/(main)/api/v1/hello+api.ts', '');
    write('src/lib/a/b.ts', '');
    const { paths } = inspect(repository, '') as { paths: string[] };
    expect(paths).toEqual(expect.arrayContaining(['src/app/(main)/api/v1/hello+api.ts', 'src/lib/a']));
    expect(paths).not.toContain('src/lib/a/b.ts');
  });

  it('names what only looks like a page', () => {
    write('pages/index.html/index.php', '');
    write('pages/about.html', '');
    expect(inspect(repository, 'pages')).toMatchObject({ falsePages: ['index.html'] });
  });

  it('knows the workspace of a member without a lock file', () => {
    write('shops/package.json', '{"workspaces":["./apps/*/","libs/**"]}');
    for (const place of ['apps/web', 'libs/ui/button', 'examples/one']) write(`shops/${place}/package.json`, '{}');
    expect(inspect(repository, 'shops/apps/web')).toMatchObject({
      workspace: 'shops',
      hasWorkspaces: true,
      lock: null,
    });
    expect(inspect(repository, 'shops/libs/ui/button')).toMatchObject({ workspace: 'shops' });
    expect(inspect(repository, 'shops/examples/one')).toMatchObject({ workspace: null, hasWorkspaces: false });
    expect(inspect(repository, 'shops')).toMatchObject({ workspace: null, hasWorkspaces: true });
    write('farm/pnpm-workspace.yaml', "packages:\n  - 'services/*-api' # all of them\n");
    write('farm/services/cow-api/package.json', '{}');
    write('farm/services/barn/package.json', '{}');
    expect(inspect(repository, 'farm/services/cow-api')).toMatchObject({ workspace: 'farm' });
    expect(inspect(repository, 'farm/services/barn')).toMatchObject({ workspace: null });
    write('farm/services/cow-api/pnpm-lock.yaml', '');
    expect(inspect(repository, 'farm/services/cow-api')).toMatchObject({ workspace: null });
  });

  it('bears a workspace of nonsense', () => {
    write('odd/package.json', `{"workspaces":[1,null,"${'**/'.repeat(60)}x","***"]}`);
    write(`odd/${'a/'.repeat(40)}package.json`, '{}');
    expect(inspect(repository, `odd/${'a/'.repeat(39)}a`)).toMatchObject({ workspace: null });
  });

  it('finds programs of Python at the top, and leaves projects below to themselves', () => {
    write('py/app.py', 'import gradio as gr\n');
    write('py/tool.py', 'import streamlit\n');
    expect(inspect(repository, 'py')).toMatchObject({
      python: { packages: null, application: null, program: { file: 'app.py', library: 'gradio' } },
    });
    const flask = 'from flask import Flask\napp = Flask(__name__)\n';
    write('two/backend/app.py', flask);
    expect(inspect(repository, 'two')).toMatchObject({ python: { application: { target: 'backend.app:app' } } });
    write('two/backend/requirements.txt', 'flask\n');
    expect(inspect(repository, 'two')).toMatchObject({ python: null });
    write('two/requirements.txt', 'flask\n');
    expect(inspect(repository, 'two')).toMatchObject({ python: { application: { target: 'backend.app:app' } } });
  });

  it('finds a project of Django below the packages that it needs', () => {
    write('shop/requirements.txt', 'django\n');
    write('shop/site/manage.py', "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'core.settings')\n");
    write('shop/site/core/wsgi.py', '');
    expect(inspect(repository, 'shop')).toMatchObject({
      python: { packages: 'requirements.txt', application: { target: 'core.wsgi:application', directory: 'site' } },
    });
    write('shop/site/requirements.txt', 'django\n');
    expect(inspect(repository, 'shop')).toMatchObject({ python: { application: null } });
  });
});
