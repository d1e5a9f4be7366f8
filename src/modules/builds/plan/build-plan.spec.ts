import { type BuildSettings } from '../build-request.js';
import { planOf } from './build-plan.js';
import { type Inspection } from './inspection.js';
import { packageManagerFactsOf } from './package-manager.js';

const reported: string[] = [];
const TOOLS = {
  nodeVersions: ['24', '20'],
  report: (text: string): void => {
    reported.push(text);
  },
};

interface Source {
  dependencies?: Record<string, string>;
  scripts?: Record<string, string>;
  entries?: string[];
  lock?: string;
  more?: Partial<Inspection>;
}

const inspection = ({ dependencies = {}, scripts = {}, entries = [], lock, more = {} }: Source): Inspection => ({
  found: true,
  entries,
  manifest: { scripts, dependencies, node: null, packageManager: null, main: null },
  hasWorkspaces: false,
  nodeFile: null,
  paths: entries,
  configs: {},
  locks: lock === undefined ? [] : [lock],
  packages: [],
  directories: [],
  python: null,
  falsePages: [],
  unfetched: { submodules: [], pointers: [] },
  procfile: null,
  dockerfile: null,
  lock: lock === undefined ? null : { directory: '', name: lock },
  workspace: null,
  installHash: 'a'.repeat(64),
  packageManager: packageManagerFactsOf({}, lock ?? null),
  vercel: null,
  netlify: null,
  ...more,
});
const plan = (source: Source, settings: BuildSettings = {}): ReturnType<typeof planOf> =>
  planOf(settings, inspection(source), TOOLS);
const served = (source: Source, settings: BuildSettings = {}): ReturnType<ReturnType<typeof planOf>['serve']> =>
  plan(source, settings).serve({ output: '', server: 'apps/web' });

describe('the plan of a build', () => {
  it.each([
    [{ dependencies: { next: '16' } }, 'nextjs', 'npx next build', 'server'],
    [
      {
        dependencies: { next: '16' },
        scripts: { build: 'next build' },
        entries: ['next.config.mjs'],
        more: { configs: { 'next.config.mjs': "export default { output: 'export' }" } },
      },
      'nextjs',
      'npm run build',
      'static',
    ],
    [{ dependencies: { expo: '54', vite: '7' } }, 'expo', 'npx expo export -p web', 'static'],
    [{ dependencies: { astro: '5', vite: '7' } }, 'astro', 'npx astro build', 'static'],
    [{ dependencies: { nuxt: '4' } }, 'nuxt', 'npx nuxt build', 'server'],
    [
      {
        dependencies: { '@react-router/dev': '7', vite: '7' },
        scripts: { start: 'react-router-serve ./build/server/index.js' },
      },
      'react-router',
      'npx react-router build',
      'server',
    ],
    [{ dependencies: { '@react-router/dev': '7', vite: '7' } }, 'react-router', 'npx react-router build', 'server'],
    [
      { dependencies: { '@sveltejs/kit': '2', vite: '7' }, entries: ['svelte.config.js'] },
      'sveltekit',
      'npx vite build',
      'server',
    ],
    [{ dependencies: { vite: '7' }, entries: ['index.html'] }, 'vite', 'npx vite build', 'static'],
    [{ scripts: { start: 'node server.js' } }, 'node', null, 'server'],
    [{ entries: ['server.js'] }, 'node', null, 'server'],
    [{ entries: ['index.html'] }, 'static', null, 'static'],
    [{ scripts: { build: 'make' } }, 'static', 'npm run build', 'static'],
  ] as const)('of %j is for %s', (source, framework, build, kind) => {
    const made = plan(source as Source);
    expect([made.framework, made.build, made.serve({ output: '', server: '' }).kind]).toEqual([framework, build, kind]);
  });

  it('follows the settings of the project', () => {
    const made = plan(
      { dependencies: { next: '16' }, lock: 'package-lock.json' },
      {
        framework: 'vite',
        rootDirectory: 'apps/web',
        installCommand: 'make deps',
        buildCommand: 'make',
        outputDirectory: 'public/out',
        nodeVersion: '20',
      },
    );
    expect(made).toMatchObject({
      framework: 'vite',
      root: '/work/source/apps/web',
      build: 'make',
      nodeVersion: '20',
      install: { command: 'make deps', directory: '/work/source/apps/web' },
    });
    expect(made.pack.candidates.map(({ from }) => from)).toEqual(['/work/source/apps/web/public/out']);
  });

  it.each([
    ['package-lock.json', null, 'npm ci --include=dev', {}],
    ['pnpm-lock.yaml', 'pnpm@9.1.0+sha512.abc', 'pnpm install --frozen-lockfile', { BUILD_PNPM: '9.1.0' }],
    ['yarn.lock', null, 'yarn install --frozen-lockfile', {}],
    ['yarn.lock', 'yarn@4.1.0', 'yarn install --immutable', { BUILD_YARN: '@yarnpkg/cli-dist@4.1.0' }],
    ['bun.lock', null, 'bun install --frozen-lockfile', { BUILD_BUN: '1.4.5' }],
    ['yarn.lock', 'yarn@1.22.22; id', 'yarn install --frozen-lockfile', { BUILD_YARN: 'yarn@1.22.22' }],
  ])('installs by %s, with %s', (lock, packageManager, command, environment) => {
    const source = inspection({ dependencies: { a: '1' }, scripts: { build: 'x' }, lock });
    const facts = { ...source.packageManager, named: packageManager };
    const made = planOf({}, { ...source, packageManager: facts }, TOOLS);
    expect(made.install?.command).toBe(command);
    expect(made.environment).toMatchObject(environment);
  });

  it('caches no packages of workspaces or without a lock file', () => {
    expect(
      plan({ dependencies: { a: '1' }, scripts: { build: 'x' }, lock: 'package-lock.json' }).install?.cacheKey,
    ).toBe('a'.repeat(64));
    expect(
      plan({
        dependencies: { a: '1' },
        scripts: { build: 'x' },
        lock: 'package-lock.json',
        more: { hasWorkspaces: true },
      }).install?.cacheKey,
    ).toBeNull();
    expect(plan({ dependencies: { a: '1' }, scripts: { build: 'x' } }).install).toMatchObject({
      command: 'npm install --include=dev --no-package-lock',
      cacheKey: null,
    });
    expect(plan({ scripts: { build: 'x' } }).install).toBeNull();
  });

  it('installs a member of a workspace without a lock file in its workspace, and collects that', () => {
    const source = { dependencies: { hono: '4' }, scripts: { start: 'node server.js' }, more: { workspace: 'shop' } };
    const made = plan(source, { rootDirectory: 'shop/apps/web' });
    expect(made.install).toEqual({
      command: 'npm install --include=dev --no-package-lock',
      directory: '/work/source/shop',
      cacheKey: null,
    });
    expect(made.pack.candidates).toMatchObject([{ from: '/work/source/shop' }]);
    expect(made.serve({ output: '', server: null }).server).toMatchObject({ directory: 'apps/web' });
    expect(plan({ ...source, dependencies: {} }, { rootDirectory: 'shop/apps/web' }).install).not.toBeNull();
  });

  it('does not build again when the server starts', () => {
    const start = 'npm run build && node dist/index.js';
    expect(served({ scripts: { build: 'tsc', start } }).server?.command).toEqual(['node', 'dist/index.js']);
    expect(served({ scripts: { start } }).server?.command.at(-1)).toContain(start);
  });

  it.each<[string, string, string, string | null]>([
    ['vite', 'vite.config.ts', "export default { base: '/shop/', plugins: [] }", '/shop'],
    ['vite', 'vite.config.ts', "export default {\n  base:\n    mode === 'production' ? '/a/b' : '/',\n}", '/a/b'],
    ['vite', 'vite.config.ts', "export default { base: '/', server: { proxy: '/api/' } }", null],
    ['vite', 'vite.config.ts', "export default { base: 'https://cdn.example.com/shop/' }", null],
    ['vite', 'vite.config.ts', "export default { base: '/../shop/' }", null],
    ['vite', 'vite.config.ts', "export default {\n  // base: '/shop/',\n}", null],
    ['astro', 'astro.config.mjs', "export default { site: 'https://a.example', base: '/shop' }", '/shop'],
    ['vitepress', 'docs/.vitepress/config.mts', "export default { base: '/shop/' }", '/shop'],
    ['vuepress', 'docs/.vuepress/config.js', "export default { base: '/shop/' }", '/shop'],
    ['@docusaurus/core', 'docusaurus.config.ts', "export default { baseUrl: '/shop/' }", '/shop'],
    ['@vue/cli-service', 'vue.config.js', "module.exports = { publicPath: isProd ? '/shop/' : '/' }", '/shop'],
    ['next', 'next.config.mjs', "export default { output: 'export', basePath: isProd ? '/shop' : '' }", '/shop'],
  ])('finds pages of %s at the path that %s builds them for: %s', (name, file, text, base) => {
    const at = file.slice(0, Math.max(file.lastIndexOf('/'), 0));
    const entries = [file, ...(at === '' ? [] : [at]), ...(name === 'vite' ? ['index.html'] : [])];
    const source = { dependencies: { [name]: '1' }, entries, more: { configs: { [file]: text } } };
    expect(plan(source).base).toBe(base);
    const prefixes = served(source).static.map(({ prefix }) => prefix);
    expect(prefixes).toContain('/');
    expect(prefixes.includes(base ?? '/shop')).toBe(base !== null);
  });

  it('does not ask for a file with variables that is not committed', () => {
    const source = {
      dependencies: { express: '5' },
      scripts: { start: 'node --env-file=.env --env-file conf/a app.js' },
    };
    const commandOf = (entries: string[]): unknown => served({ ...source, entries }).server?.command.join(' ');
    expect(commandOf([])).toBe('node --env-file-if-exists=.env --env-file-if-exists conf/a app.js');
    expect(commandOf(['.env'])).toBe('node --env-file=.env --env-file-if-exists conf/a app.js');
  });

  it('starts a server without a shell if possible', () => {
    expect(served({ scripts: { start: 'node src/server.js --port=1' } }).server?.command).toEqual([
      'node',
      'src/server.js',
      '--port=1',
    ]);
    expect(served({ scripts: { start: 'node a.js && id' } }).server?.command).toEqual([
      'sh',
      '-c',
      'PATH="$PWD/node_modules/.bin:$PATH"; node a.js && id',
    ]);
    expect(served({ dependencies: { next: '16' } })).toMatchObject({
      server: { command: ['node', 'server.js'], directory: 'apps/web' },
    });
  });

  it('uses an available version of Node', () => {
    const nodeOf = (node: string): string | null =>
      planOf({}, { ...inspection({ scripts: { build: 'x' } }), nodeFile: node }, TOOLS).nodeVersion;
    expect([nodeOf('v20.1.0'), nodeOf('>=18'), nodeOf('22.x')]).toEqual(['20', '24', '24']);
    expect(reported).toEqual(['Node 22.x is not available. Using 24; available are 24 and 20.']);
  });

  it('refuses unknown frameworks', () => {
    expect(() => planOf({}, { ...inspection({}), manifest: null }, TOOLS)).toThrow('No known framework');
  });

  it('reports the settings that are used, with where each comes from', () => {
    const { settings } = planOf(
      { nodeVersion: '20', outputDirectory: 'site' },
      {
        ...inspection({ dependencies: { vite: '7' }, entries: ['index.html'], lock: 'package-lock.json' }),
        vercel: '{"buildCommand":"make","outputDirectory":"out"}',
      },
      TOOLS,
    );
    expect(settings).toEqual({
      framework: { value: 'vite', source: 'detected' },
      root_directory: { value: null, source: 'detected' },
      node_version: { value: '20', source: 'set' },
      install_command: { value: 'npm ci --include=dev', source: 'detected' },
      build_command: { value: 'make', source: 'file' },
      output_directory: { value: 'site', source: 'set' },
      start_command: { value: null, source: 'detected' },
      health_path: { value: null, source: 'detected' },
      start_timeout_ms: { value: null, source: 'detected' },
    });
  });

  it('names lock files that are not used, and a package manager that differs', () => {
    reported.length = 0;
    const source = inspection({ dependencies: { a: '1' }, scripts: { build: 'x' }, lock: 'yarn.lock' });
    const manifest = { ...source.manifest!, packageManager: 'pnpm@9.0.0' };
    planOf({}, { ...source, manifest, locks: ['package-lock.json', 'yarn.lock'] }, TOOLS);
    expect(reported).toEqual([
      expect.stringMatching(/^Several lock files were found: yarn.lock, package-lock.json. yarn.lock is used. Delete/),
      expect.stringMatching(/names pnpm as its package manager, but the lock file yarn.lock is of yarn. yarn is used/),
    ]);
  });

  it('names what is not fetched, and the processes of a Procfile that are not started', () => {
    reported.length = 0;
    plan({
      entries: ['index.html'],
      more: { unfetched: { submodules: ['themes/ananke'], pointers: ['photo.png'] }, manifest: null },
    });
    plan({
      dependencies: { express: '^5' },
      more: { procfile: 'release: npm run migrate\nweb: node a.js\nworker: x\n' },
    });
    expect(reported).toEqual([
      expect.stringMatching(/^Submodules are not fetched.*: themes\/ananke\. .* See \/docs\/builds#fetching\.$/),
      expect.stringMatching(/^Files of Git LFS are not fetched.*: photo\.png\. /),
      expect.stringMatching(/^Of the Procfile only the process web is started, and not release, worker\. /),
    ]);
  });

  it('starts the web process of a Procfile if nothing else says how', () => {
    const start = ({ settings }: ReturnType<typeof planOf>): unknown => settings.start_command.value;
    const more = { procfile: 'web: node lib/web.js --port $PORT\n' };
    expect(start(plan({ dependencies: { express: '^4' }, more }))).toBe('node lib/web.js --port $PORT');
    expect(plan({ more })).toMatchObject({ framework: 'node' });
    expect(start(plan({ scripts: { start: 'node a.js' }, more }))).toBe('node a.js');
    const site = { scripts: { build: 'make' }, more: { procfile: 'web: npx serve dist' } };
    expect(plan(site)).toMatchObject({ framework: 'static' });
    const python = { packages: 'requirements.txt', application: null };
    expect(start(plan({ more: { procfile: 'web: uvicorn shop:api --port $PORT', manifest: null, python } }))).toBe(
      'uvicorn shop:api --port $PORT',
    );
  });

  it('names the applications of a workspace of Nx, whose packages lie in its root', () => {
    const nx = (...paths: string[]): Source => ({
      dependencies: { next: '16', nx: '23' },
      scripts: { build: 'nx build' },
      entries: ['nx.json', 'apps'],
      more: { paths: ['nx.json', 'apps/web/project.json', ...paths] },
    });
    expect(() => plan(nx('apps/web-e2e/project.json'))).toThrow(/Nx with apps\/web\. .+npx nx build web/);
    expect(plan(nx(), { outputDirectory: 'dist/apps/web' }).framework).toBe('nextjs');
    expect(plan({ ...nx(), entries: ['nx.json', 'apps', 'src'], more: {} }).framework).toBe('nextjs');
  });

  it('names functions beside pages, and refuses functions alone', () => {
    reported.length = 0;
    const paths = ['index.html', 'api', 'api/hello.js', 'api/users/[id].ts'];
    plan({ entries: ['index.html', 'api'], more: { paths } });
    expect(reported).toEqual([
      expect.stringMatching(/^Functions are not supported: api\/hello.js, api\/users\/\[id\].ts/),
    ]);
    expect(() => plan({ entries: ['api'], more: { paths: ['api', 'api/hello.py'] } })).toThrow(
      'Only functions were found: api/hello.py. Functions are not supported.',
    );
    const part = ['api', 'api/package.json', 'api/src/index.ts', 'redwood.toml'];
    expect(() => plan({ entries: ['api', 'redwood.toml'], more: { paths: part } })).toThrow('Found a RedwoodJS app');
  });

  it.each([
    ['flask', 'app:app', 'requirements.txt', 'gunicorn==26.2.0', /^python3 -m gunicorn .* "app:app"$/],
    [
      'fastapi',
      'main:create_app()',
      'uv.lock',
      'uvicorn==0.54.0',
      /^python3 -m uvicorn .* --factory "main:create_app"$/,
    ],
    ['django', 'shop.wsgi:application', 'poetry.lock', 'gunicorn==26.2.0', /^python3 -m gunicorn .*"shop.wsgi:app/],
  ])('installs and starts %s', (framework, target, packages, server, start) => {
    const python = { packages, application: { framework, target, directory: '' } };
    const made = plan({ entries: [packages], more: { manifest: null, python } });
    expect([made.framework, made.install?.command, made.build]).toEqual([
      framework,
      `install-python-packages ${packages} ${server}`,
      framework === 'django' ? 'collect-static-files shop.wsgi' : null,
    ]);
    expect(made.settings.start_command).toEqual({ value: expect.stringMatching(start) as string, source: 'detected' });
    const own = planOf({ startCommand: 'hypercorn app:app' }, inspection({ more: { manifest: null, python } }), TOOLS);
    expect(own.serve({ output: '', server: null }).server?.command.at(-1)).toMatch(/PYTHONPATH=.*; hypercorn app:app$/);
    expect(own.settings.start_command).toEqual({ value: 'hypercorn app:app', source: 'set' });
  });

  it('starts Django in a directory below its packages', () => {
    const application = {
      framework: 'django',
      target: 'core.wsgi:application',
      directory: 'site',
    };
    const python = { packages: 'requirements.txt', application };
    const made = plan({ entries: ['requirements.txt', 'site'], more: { manifest: null, python } });
    expect(made.build).toBe('collect-static-files core.wsgi site');
    expect(made.serve({ output: '', server: null }).static).toEqual([
      { directory: '.static_files', prefix: '/', immutable: false },
    ]);
    expect(made.serve({ output: '', server: null }).server?.command.at(-1)).toMatch(/:\$PWD\/site/);
  });

  it('asks for a start command when a Python project has no known application', () => {
    const python = { packages: 'requirements.txt', application: null };
    expect(() => plan({ entries: ['tool.py'], more: { manifest: null, python } })).toThrow(
      /^Found a Python project, and no application .* Set the start command .* See \/docs\/builds#/,
    );
  });

  it.each([
    [['composer.json', 'public'], { paths: ['composer.json', 'public', 'public/index.php'] }, /^Found a PHP project, /],
    [['index.php', 'about.html'], { paths: ['index.php', 'about.html'] }, /^Found a PHP project, /],
    [['Gemfile', 'public'], { paths: ['Gemfile', 'public', 'public/404.html'] }, /^Found a Ruby project, /],
    [['_config.yml', 'Gemfile', '404.html'], {}, /^Found a Jekyll site and a Ruby project, .* framework to static/],
    [
      ['mkdocs.yml', 'requirements.txt'],
      { python: { packages: 'requirements.txt', application: null } },
      /^Found an MkDocs site, /,
    ],
    [['Program.cs', 'App.csproj'], {}, /^Found a \.NET project, /],
    [
      ['README.md', 'site'],
      { paths: ['README.md', 'site', 'site/index.html', 'site/more/page.html', '.github/x.html'] },
      /Pages were found in: site\. Set the root directory of the project to it/,
    ],
    [['go.mod'], {}, /^Found a Go module/],
    [['build.sbt', 'public'], {}, /^Found a Scala project, /],
    [['docker-compose.yml', 'README.md'], {}, /^Found a Docker Compose file, which builds do not run/],
    [
      ['config.toml', 'templates'],
      { paths: ['config.toml', 'templates', 'templates/index.html'] },
      /^Found a Zola site, /,
    ],
    [
      ['compose.yaml', 'site'],
      { paths: ['compose.yaml', 'site', 'site/index.html'] },
      /Pages were found in: site\. Set the root directory/,
    ],
    [
      ['frontend', 'backend'],
      {
        paths: ['frontend', 'frontend/index.html', 'backend/requirements.txt'],
        packages: [{ directory: 'frontend', dependencies: ['vite'] }],
      },
      /Found: frontend \(vite\), backend \(python\)\. Set the root directory of the project to one of them/,
    ],
    [['README.md'], {}, /Found: README.md. Expected is a package.json or an index.html/],
    [[], {}, /The directory is empty/],
    [
      ['package.json', 'apps'],
      {
        paths: ['apps', 'apps/web', 'apps/web/package.json', 'apps/docs/package.json'],
        packages: [
          { directory: 'apps/web', dependencies: ['next'] },
          { directory: 'apps/docs', dependencies: ['@docusaurus/core'] },
          { directory: 'packages/ui', dependencies: ['react'] },
        ],
      },
      /Found: apps\/web \(nextjs\), apps\/docs \(docusaurus\). Set the root directory of the project/,
    ],
  ] as const)('refuses %j, and says what was found', (entries, more, message) => {
    const act = (): unknown =>
      planOf({}, { ...inspection({ entries: [...entries] }), manifest: null, ...(more as Partial<Inspection>) }, TOOLS);
    expect(act).toThrow(message);
    expect(act).toThrow('See /docs/builds#framework.');
  });

  it.each([
    [{ build: 'turbo run build' }, ['package.json', 'public']],
    [{ build: 'turbo run build', start: 'npx turbo run start' }, ['package.json']],
  ])('refuses the root of a monorepo, whose scripts are %j, and names its applications', (scripts, entries) => {
    const packages = [{ directory: 'apps/web', dependencies: ['next'] }];
    const more = { hasWorkspaces: true, packages, paths: ['apps/web/package.json'] };
    const act = (settings: BuildSettings = {}): unknown => plan({ scripts, entries, more }, settings);
    expect(act).toThrow(/Found: apps\/web \(nextjs\)\. Set the root directory/);
    expect(() => act({ outputDirectory: 'apps/web/out', framework: 'static' })).not.toThrow();
    // Packages without an application may be what the site is built from.
    const library = { ...more, packages: [{ directory: 'packages/ui', dependencies: ['react'] }] };
    expect(() => plan({ scripts: { build: 'x' }, entries, more: library })).not.toThrow();
  });

  it.each([
    [{}, { start: 'bun run src/index.ts' }, 'the start command runs it'],
    [{ elysia: '^1' }, {}, 'elysia listens only there'],
    [{ '@types/bun': 'latest' }, {}, 'package.json has the types of Bun'],
  ])('refuses a server that needs Bun: %j, %j', (dependencies, scripts, why) => {
    const entries = ['package.json', 'index.ts'];
    const act = (more: Record<string, string>) => (): unknown =>
      plan({ dependencies: { ...dependencies, ...more }, scripts, entries });
    expect(act({})).toThrow(`The server needs Bun: ${why}`);
    expect(act({ bun: '^1' })).not.toThrow();
  });

  it.each([
    ['electron .', /^Found an Electron app, which runs on desktops: the start script is "electron \."/],
    ['cross-env NODE_ENV=production react-native start', /^Found a React Native app, which runs on phones/],
    ['meteor run', /^Found a Meteor app/],
  ])('refuses the program of the start script %j', (start, message) => {
    const source = { scripts: { start, build: 'make' }, entries: ['package.json', 'index.html'] };
    expect(() => plan(source)).toThrow(message);
    expect(plan(source, { startCommand: 'node server.js' }).settings.start_command.value).toBe('node server.js');
    expect(() => plan(source, { framework: 'static' })).not.toThrow();
  });

  it('names a start script that is for development only', () => {
    expect(() => plan({ scripts: { start: 'wrangler dev' }, entries: ['package.json', 'src'] })).toThrow(
      /The start script of package\.json, "wrangler dev", is for development, and there is no build script/,
    );
  });

  it('refuses a client and a server that start at once, and names both', () => {
    const packages = [
      { directory: 'client', dependencies: ['react-scripts'] },
      { directory: 'server', dependencies: ['express'] },
    ];
    const scripts = { start: 'concurrently "npm start --prefix server" "npm start --prefix client"' };
    expect(() => plan({ dependencies: { concurrently: '^9' }, scripts, more: { packages } })).toThrow(
      /Found: client \(create-react-app\), server \(express\)\. Set the root directory/,
    );
    expect(plan({ scripts: { start: 'concurrently "node a.js" "node b.js"' }, more: { packages } })).toMatchObject({
      framework: 'node',
    });
  });

  it('publishes the page at the top if a build leaves no other', () => {
    const places = ({ pack }: ReturnType<typeof planOf>): string[] => pack.candidates.map(({ named }) => named);
    const scripts = { build: 'tailwindcss -o dist/site.css' };
    const [first, last] = [0, -1].map((at) => places(plan({ scripts, entries: ['index.html'] })).at(at));
    expect([first, last]).toEqual(['dist', 'the root directory']);
    expect(plan({ scripts, entries: ['index.html'] }).pack.candidates.at(-1)!.except).toContain('package.json');
    expect(places(plan({ scripts, entries: ['about.html'] }))).not.toContain('the root directory');
    expect(places(plan({ dependencies: { vite: '^7' }, scripts, entries: ['index.html'] }))).toEqual(['dist']);
  });

  it('starts Keystone by its own script, although its pages are made by Next.js', () => {
    const dependencies = { next: '^15', '@keystone-6/core': '^6' };
    const scripts = { start: 'keystone start', build: 'keystone build' };
    expect(plan({ dependencies, scripts })).toMatchObject({
      framework: 'node',
      settings: { start_command: { value: 'keystone start' } },
    });
  });

  it.each([
    [
      'streamlit_app.py',
      'streamlit',
      /a Streamlit app in streamlit_app\.py.+`streamlit run streamlit_app\.py --server\.port/,
    ],
    ['app.py', 'gradio', /a Gradio app in app\.py.+GRADIO_SERVER_PORT=\$PORT python3 app\.py`/],
    ['main.py', null, /a Python project in main\.py/],
  ])('names the command for a Python program %s of %s', (file, library, message) => {
    const python = { packages: null, application: null, program: { file, library } };
    const more = { manifest: null, python };
    expect(() => plan({ entries: [file], more })).toThrow(message);
    expect(plan({ entries: [file, 'public'], more })).toMatchObject({ framework: 'static' });
  });

  it('says how long a database in a file lasts', () => {
    plan({ dependencies: { 'better-sqlite3': '^12', express: '^5' }, scripts: { start: 'node index.js' } });
    expect(reported.at(-1)).toMatch(/^better-sqlite3 keeps its data in files\. .+ gone with the next deploy/);
  });
});
