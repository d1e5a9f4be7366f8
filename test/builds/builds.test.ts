import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FETCHED_RELEASES } from '../../src/platform/node-programs/node-releases.js';
import { until } from '../support/embedded-servers.js';
import { Workbench } from './workbench.js';

const json = (value: unknown): string => JSON.stringify(value);

describe('a build', () => {
  const bench = new Workbench();
  afterEach(() => {
    expect(bench.left()).toEqual([]);
  });
  afterAll(() => bench.close());

  it('finds the commit of a branch', async () => {
    const repository = bench.repository({ 'index.html': 'hello' });
    const source = bench.request(repository).source;
    const signal = new AbortController().signal;
    expect(await bench.commitOf(source, signal)).toEqual({ sha: repository.sha, message: 'Make it', author: 'Ada' });
    expect(await bench.commitOf({ ...source, ref: repository.sha }, signal)).toMatchObject({ sha: repository.sha });
    await expect(bench.commitOf({ ...source, ref: 'missing' }, signal)).rejects.toMatchObject({
      code: 'ref_not_found',
    });
  });

  it('gives a build a repository with its commit, whose files are as committed', async () => {
    const repository = bench.repository({ 'package.json': json({ scripts: {} }), 'a/b.txt': 'hello' });
    const buildCommand =
      'mkdir out && { git rev-list --all HEAD; git status --porcelain --untracked-files=no; ' +
      'git symbolic-ref -q HEAD || echo detached; } > out/index.html';
    const settings = { buildCommand, outputDirectory: 'out', framework: 'static' };
    const { files } = await bench.build(repository, { settings });
    expect(files['index.html']).toBe(`${repository.sha}\ndetached\n`);
  });

  it('adds what serves an exported app, also without packages to install and without a build command', async () => {
    const source = {
      'package.json': json({ dependencies: { express: '5' } }),
      'index.js': "module.exports = (request, response) => response.end('exported');",
    };
    const { built, files, phases, log } = await bench.build(source, { settings: { installCommand: '' } });
    expect(built.server?.command).toEqual(['node', '--import', './.adapter/serve.mjs', 'index.js']);
    expect(files['.adapter/serve.mjs']).toContain('createServer');
    expect(phases).toEqual(['fetch', 'build', 'collect']);
    expect(log).toContain(
      'system: No script says how to start: index.js is run, and the app that it exports is served.',
    );
  });

  it('serves plain files, except those that are not meant for visitors', async () => {
    const { built, files, phases } = await bench.build({
      'index.html': '<h1>hello</h1>',
      'a b/ü.css': 'body{}',
      '.env': 'SECRET=1',
      '.well-known/security.txt': 'Contact: x',
      'node_modules/x/index.js': '1',
      _redirects: '/old /new 301\n/app/* /index.html 200\nnonsense',
      _headers: '/*\n  X-Frame-Options: DENY',
      '404.html': 'not here',
      'vercel.json': json({
        cleanUrls: true,
        trailingSlash: false,
        redirects: [{ source: '/a', destination: '/b', permanent: false }],
      }),
    });
    expect(files).toEqual({
      'index.html': '<h1>hello</h1>',
      'a b/ü.css': 'body{}',
      '.well-known/security.txt': 'Contact: x',
      '404.html': 'not here',
    });
    expect(built).toMatchObject({
      framework: 'static',
      kind: 'static',
      nodeVersion: null,
      server: null,
      static: [{ directory: '', prefix: '/', immutable: false }],
    });
    expect(built.routing).toEqual({
      redirects: [
        { source: '/a', destination: '/b', statusCode: 307, has: [], missing: [] },
        { source: '/old', destination: '/new', statusCode: 301, has: [], missing: [] },
      ],
      rewrites: [{ source: '/app/:splat*', destination: '/index.html', has: [], missing: [] }],
      headers: [{ source: '/(.*)', headers: [{ key: 'X-Frame-Options', value: 'DENY' }], has: [], missing: [] }],
      cleanUrls: true,
      trailingSlash: false,
      notFound: '404.html',
      fallback: null,
    });
    expect(phases).toEqual(['fetch', 'collect']);
  });

  it("builds in the root directory with the project's variables, and serves the output", async () => {
    const { built, files, log, phases } = await bench.build(
      {
        'README.md': 'a monorepo',
        'apps/web/package.json': json({ scripts: { build: 'node build.js' }, engines: { node: '>=20' } }),
        'apps/web/build.js': `const fs = require('fs'); fs.mkdirSync('dist/assets', { recursive: true });
        fs.writeFileSync('dist/index.html', [process.version.split('.')[0], process.env.GREETING,
          process.env.NODE_ENV, process.cwd()].join(' '));
        fs.writeFileSync('dist/assets/a.js', Buffer.alloc(3_000_000, 'x'));
          console.log('\\u001b[32mmade\\u001b[0m it')`,
      },
      { settings: { rootDirectory: 'apps/web' }, environment: { GREETING: 'good day' } },
    );
    expect(files['index.html']).toBe('v24 good day production /work/source/apps/web');
    expect(files['assets/a.js']).toHaveLength(3_000_000);
    expect(built).toMatchObject({ framework: 'static', kind: 'static', nodeVersion: '24' });
    expect(log).toEqual(expect.arrayContaining(['system: $ npm run build', 'stdout: made it']));
    expect(phases).toEqual(['fetch', 'build', 'collect']);
  });

  it.each([
    ['the project says so', '20', { nodeVersion: '20' }, {}],
    ['the project says so', '22', { nodeVersion: '22' }, {}],
    ['the project says so', '24', { nodeVersion: '24' }, {}],
    ['the source asks for it', '20', {}, { node: '^20.9 || ^18' }],
    ['the source asks for it', '22', {}, { node: '22.x' }],
    ['the source asks for one that there is not', '24', {}, { node: '18.x' }],
  ] as const)('selects %s and builds with Node %s', async (why, version, settings, engines) => {
    // A program in place of those that are fetched: what it writes shows that it is what ran. The real ones are in
    // test/templates.
    mkdirSync(bench.nodes, { recursive: true });
    for (const { version: release } of Object.values(FETCHED_RELEASES)) {
      writeFileSync(
        join(bench.nodes, `node-v${release}-linux-${process.arch}`),
        `#!/bin/sh\nmkdir dist && echo v${release} > dist/index.html`,
        { mode: 0o755 },
      );
    }
    const { built, files, log } = await bench.build(
      {
        'package.json': json({ engines }),
        'build.js': "require('fs').mkdirSync('dist'); require('fs').writeFileSync('dist/index.html', process.version)",
      },
      { settings: { ...settings, framework: 'static', buildCommand: 'node build.js' } },
    );
    expect(files['index.html']).toMatch(new RegExp(`^v${version}[.]`));
    expect(built.nodeVersion).toBe(version);
    expect(log.some((line) => line.includes('is not available'))).toBe(why.includes('there is not'));
    expect(log.join()).not.toContain('Fetching');
  });

  it('logs that it downloads Node, and what to do when that fails', async () => {
    // Whatever a registry that can be reached delivers has another hash.
    const pinned = {
      version: '20.20.2',
      integrity: { [process.arch]: `sha512-${Buffer.alloc(64).toString('base64')}` },
    };
    const offline = new Workbench({ releases: { 20: pinned } });
    try {
      await expect(
        offline.build({ 'package.json': json({ scripts: { build: 'true' } }) }, { settings: { nodeVersion: '20' } }),
      ).rejects.toMatchObject({
        code: 'node_version_unavailable',
        message: expect.stringMatching(
          /^Node 20\.20\.2 could not be fetched: .+\. Try again later, or choose Node 24, which is installed/,
        ) as string,
      });
      expect(offline.log).toContain('system: Fetching Node 20.20.2 …');
      expect(readdirSync(offline.nodes)).toEqual(['lock']);
    } finally {
      await offline.close();
    }
  });

  it('stops when it is cancelled during the download of Node', async () => {
    const repository = bench.repository({ 'package.json': json({ scripts: { build: 'true' } }) });
    rmSync(bench.nodes, { recursive: true, force: true });
    mkdirSync(bench.nodes);
    // Another process is fetching, and takes long.
    const holder = spawn('flock', [join(bench.nodes, 'lock'), 'sleep', '60'], { detached: true });
    try {
      await until(
        'the lock is held',
        () =>
          existsSync(join(bench.nodes, 'lock')) &&
          spawnSync('flock', ['-n', join(bench.nodes, 'lock'), 'true']).status !== 0,
        10_000,
      );
      const cancelled = new AbortController();
      const building = bench.start(bench.request(repository, { settings: { nodeVersion: '22' } }), cancelled.signal);
      building.catch(() => undefined);
      await until('the build waits for it', () => bench.log.some((line) => line.includes('Fetching Node 22')), 30_000);
      cancelled.abort(new Error('cancelled by a person'));
      await expect(building).rejects.toThrow('cancelled by a person');
    } finally {
      // What waits for the lock finds that the other one has fetched it.
      writeFileSync(join(bench.nodes, `node-v${FETCHED_RELEASES['22']!.version}-linux-${process.arch}`), '');
      process.kill(-holder.pid!, 'SIGKILL');
    }
  });

  it('accepts a long package.json', async () => {
    const scripts = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`script-${index}`, `echo "\\u0001${'x'.repeat(100)}"`]),
    );
    const { built } = await bench.build({
      'package.json': json({ scripts: { ...scripts, start: 'node late.js' } }),
      'late.js': '',
    });
    expect(built.server).toMatchObject({ command: ['node', 'late.js'] });
  });

  it('collects the output of a Node server with its start command', async () => {
    const { built, files, links } = await bench.build({
      'package.json': json({ scripts: { start: 'node server.js --port 1' } }),
      'server.js': 'serve()',
      'lib/run.sh': { program: '#!/bin/sh' },
      'lib/link.js': { link: '../server.js' },
    });
    expect(built).toMatchObject({
      framework: 'node',
      kind: 'server',
      nodeVersion: '24',
      server: { command: ['node', 'server.js', '--port', '1'], directory: '' },
    });
    expect(files).toEqual({
      'package.json': expect.any(String) as string,
      'server.js': 'serve()',
      'lib/run.sh': '#!/bin/sh',
    });
    expect(links).toEqual({ 'lib/link.js': '../server.js' });
  });

  it('collects the server and static files of Next.js', async () => {
    const make = (file: string): string => `mkdir -p ${file.slice(0, file.lastIndexOf('/'))} && echo ${file} > ${file}`;
    const { built, files } = await bench.build(
      {
        'apps/web/package.json': json({ dependencies: {}, devDependencies: {}, scripts: { build: 'sh build.sh' } }),
        'apps/web/public/robots.txt': 'none',
        'apps/web/build.sh': ['.next/standalone/apps/web/server.js', '.next/static/chunks/a-1.js'].map(make).join('\n'),
      },
      { settings: { rootDirectory: 'apps/web', framework: 'nextjs' } },
    );
    expect(Object.keys(files).sort()).toEqual([
      'apps/web/.next/static/chunks/a-1.js',
      'apps/web/public/robots.txt',
      'apps/web/server.js',
    ]);
    expect(built).toMatchObject({
      kind: 'server',
      server: { command: ['node', 'server.js'], directory: 'apps/web' },
      static: [
        { directory: 'apps/web/.next/static', prefix: '/_next/static', immutable: true },
        { directory: 'apps/web/public', prefix: '/', immutable: false },
      ],
    });
  });

  it('names the variable that the build command missed, for its target', async () => {
    const build = 'echo "error: Environment variable not found: DATABASE_URL."; exit 1';
    await expect(
      bench.build({ 'package.json': json({ scripts: { build } }) }, { environment: { OTHER: 'x' } }),
    ).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(
        / DATABASE_URL is not set for \w+\. .* service env set DATABASE_URL --target \w+,/,
      ),
    });
  });

  it.each([
    ['build_failed', { 'package.json': json({ scripts: { build: 'echo why >&2; exit 3' } }) }, {}],
    ['output_not_found', { 'package.json': json({ scripts: { build: 'true' } }) }, {}],
    ['framework_not_found', { 'README.md': 'nothing' }, {}],
    ['root_directory_not_found', { 'index.html': '' }, { rootDirectory: 'missing' }],
    ['root_directory_not_found', { web: { link: '/etc' }, 'index.html': '' }, { rootDirectory: 'web' }],
    ['output_not_found', { 'index.html': '', out: { link: '/usr/bin' } }, { outputDirectory: 'out' }],
    ['node_version_unavailable', { 'package.json': json({ scripts: { build: 'true' } }) }, { nodeVersion: '18' }],
    [
      'install_failed',
      { 'package.json': json({ dependencies: { a: '1' }, scripts: { build: 'true' } }) },
      { installCommand: 'false' },
    ],
  ] as const)('fails with %s', async (code, files, settings) => {
    await expect(bench.build(files, { settings })).rejects.toMatchObject({ name: 'BuildFailed', code });
    if (code === 'build_failed') expect(bench.log).toContain('stderr: why');
  });

  it.each([
    [
      'nothing was built',
      { 'package.json': json({ dependencies: {}, scripts: { build: 'mkdir -p web/site && touch web/site/a.html' } }) },
      {},
      /^No output was found in: dist, .*public[.] Pages were found in: web\/site[.] .*Set the output directory/,
    ],
    [
      'the output has no page',
      { 'package.json': json({ scripts: { build: 'mkdir -p dist/server && touch dist/server/entry.mjs' } }) },
      { framework: 'astro' },
      /^The output has no HTML page: dist[.] Expected is at least one .html file[.]/,
    ],
    [
      'no page is at the top',
      {
        'package.json': json({ scripts: { build: 'mkdir -p dist/a dist/b && touch dist/a/index.html dist/b/c.html' } }),
      },
      {},
      /^The pages have no index.html at their top, .* Pages were found in: dist\/a, dist\/b[.] .*Set the output/,
    ],
    [
      'a server of the framework is missing',
      {
        'package.json': json({ scripts: { build: 'mkdir dist && touch dist/index.html' } }),
        'astro.config.mjs':
          "import node from '@astrojs/node'; export default { adapter: node({ mode: 'standalone' }) }",
      },
      { framework: 'astro' },
      /^The build did not leave dist\/server\/entry.mjs, which astro needs to start/,
    ],
    [
      'the output is a link to the project',
      { 'package.json': json({ scripts: { build: 'ln -s . dist' } }), 'index.html': 'x' },
      { framework: 'vite' },
      /^No output was found in: dist[.]/,
    ],
  ] as const)('says what was found and which setting to change when %s', async (_, files, settings, message) => {
    await expect(bench.build(files, { settings })).rejects.toMatchObject({
      code: 'output_not_found',
      message: expect.stringMatching(message) as string,
    });
  });

  it('names the directories of a repository that has no such root directory', async () => {
    const building = bench.build({ 'web/index.html': '', 'api/a.js': '' }, { settings: { rootDirectory: 'app' } });
    await expect(building).rejects.toThrow('The repository has no directory app. Its top level has: api, web.');
  });

  it('publishes no functions, and says so', async () => {
    const { files, log } = await bench.build({
      'index.html': 'hello',
      'api/hello.js': 'secret()',
      'api/data.json': '{}',
    });
    expect(Object.keys(files)).toEqual(['index.html']);
    expect(log.join('\n')).toMatch(/Functions are not supported: api\/hello.js will not be published/);
  });

  it('takes the directory of pages that the framework has, not another one', async () => {
    const { files } = await bench.build(
      {
        'package.json': json({ scripts: { build: 'mkdir _site && echo made > _site/index.html' } }),
        'public/style.css': 'source',
      },
      { settings: { framework: 'eleventy' } },
    );
    expect(files).toEqual({ 'index.html': 'made\n' });
  });

  it('follows vercel.json, and names what it does not support', async () => {
    const { built, files, log } = await bench.build(
      {
        'vercel.json': json({
          buildCommand: 'mkdir out && echo $0 > out/index.html',
          outputDirectory: 'out',
          crons: [{ path: '/tick', schedule: '0 * * * *' }],
          images: {},
        }),
      },
      { settings: { framework: 'static' } },
    );
    expect(Object.keys(files)).toEqual(['index.html']);
    expect(built.crons).toEqual([{ path: '/tick', schedule: '0 * * * *' }]);
    expect(built.settings.output_directory).toEqual({ value: 'out', source: 'file' });
    expect(log).toContain('system: "images" of vercel.json is not supported. Images are served as they are.');
  });

  it('goes on when it prints 100 MB, of which the log has a part with a note', async () => {
    const { files, log } = await bench.build({
      'package.json': json({ scripts: { build: 'node build.js' } }),
      'build.js': `const fs = require('fs'); const chunk = ('x'.repeat(99) + '\\n').repeat(10_000);
        for (let count = 0; count < 100; count++) fs.writeSync(1, chunk);
        console.log('the end'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', 'built')`,
    });
    expect(files).toEqual({ 'index.html': 'built' });
    expect(log.join('').length).toBeLessThan(10_000_000);
    expect(log.some((line) => /lines are missing here|the rest is not shown/.test(line))).toBe(true);
  });

  it('names the command that brings a lock file up to date', async () => {
    const manifest = { name: 'app', version: '1.0.0', dependencies: { a: 'file:a' }, scripts: { build: 'true' } };
    const lock = { name: 'app', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'app' } } };
    await expect(
      bench.build({
        'package.json': json(manifest),
        'package-lock.json': json(lock),
        'a/package.json': json({ name: 'a', version: '1.0.0' }),
      }),
    ).rejects.toMatchObject({
      code: 'install_failed',
      message: expect.stringContaining(
        'package-lock.json does not match package.json. Run npm install on your machine, and commit package-lock.json.',
      ) as string,
    });
  });

  it('keeps framework caches and packages for later builds of the project only', async () => {
    const repository = bench.repository({
      'package.json': json({ scripts: { build: 'sh build.sh' } }),
      'package-lock.json': json({ lockfileVersion: 3, packages: {} }),
      'build.sh': `mkdir -p .next/cache out;
        cat .next/cache/count > out/index.html 2>/dev/null || echo none > out/index.html
        cat node_modules/made >> out/index.html; echo "$NAME" > .next/cache/count`,
      'next.config.js': "module.exports = { output: 'export' }",
    });
    const settings = {
      framework: 'nextjs',
      installCommand: 'mkdir -p node_modules && echo "installed by $NAME" > node_modules/made',
    };
    const build = async (name: string, change: object, keep = true): Promise<string> =>
      (await bench.build(repository, { settings, environment: { NAME: name }, ...change }, keep)).files['index.html']!;
    const preview = { target: 'preview', branch: 'main' } as const;

    expect(await build('one', {}, false)).toBe('none\ninstalled by one\n');
    expect(await build('two', preview)).toBe('none\ninstalled by two\n');
    expect(await build('three', {})).toBe('none\ninstalled by three\n');
    expect(await build('four', {})).toBe('three\ninstalled by three\n');
    expect(await build('five', preview)).toBe('two\ninstalled by two\n');
    expect(await build('six', { projectId: 'prj_2' })).toBe('none\ninstalled by six\n');
    expect(await build('seven', {})).toBe('four\ninstalled by three\n');

    // What writes to its packages has a copy of its own, which the next does not see.
    const writes = { settings: { ...settings, buildCommand: 'echo changed >> node_modules/made && sh build.sh' } };
    expect(await build('eight', writes)).toBe('seven\ninstalled by three\nchanged\n');
    expect(bench.log).toContain('system: The build writes to its packages. It is run again, with a copy of them.');
    expect(await build('nine', {})).toBe('eight\ninstalled by three\n');
  });

  it('uses the cache of the previous build while that is still being saved', async () => {
    const repository = bench.repository({
      'package.json': json({ scripts: { build: 'mkdir out; cat node_modules/made > out/index.html' } }),
      'package-lock.json': json({ lockfileVersion: 3, packages: {} }),
      'next.config.js': "module.exports = { output: 'export' }",
    });
    const installCommand =
      'mkdir -p node_modules && cd node_modules && seq 20000 | xargs touch && echo "installed by $NAME" > made';
    const input = (name: string): object => ({
      projectId: 'prj_kept',
      settings: { framework: 'nextjs', installCommand },
      environment: { NAME: name },
    });
    const first = await bench.start(bench.request(repository, input('one')));
    const closing = first.close({ keepCaches: true });
    expect((await bench.build(repository, input('two'))).files['index.html']).toBe('installed by one\n');
    await closing;
  });
});

describe('a machine that cannot start another process', () => {
  // It fails as often as there are files that say so, before anything of it runs.
  const directory = mkdtempSync(join(tmpdir(), 'failing-bwrap-'));
  chmodSync(directory, 0o777);
  const wrapper = join(directory, 'bwrap');
  writeFileSync(
    wrapper,
    `#!/bin/sh\nfor each in 1 2 3 4; do rm ${directory}/fail-$each 2>/dev/null && exit 1; done\nexec bwrap "$@"\n`,
  );
  chmodSync(wrapper, 0o755);
  const bench = new Workbench({ bubblewrap: wrapper });
  afterAll(async () => {
    await bench.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const fail = (times: number): void => {
    for (let time = 1; time <= times; time++) writeFileSync(join(directory, `fail-${time}`), '');
  };

  it('retries builds that have not started a few times', async () => {
    const { source } = bench.request(bench.repository({ 'index.html': 'hello' }));
    const { signal } = new AbortController();
    const known = await bench.commitOf(source, signal);
    fail(2);
    expect(await bench.commitOf(source, signal)).toEqual(known);
    expect(existsSync(join(directory, 'fail-2'))).toBe(false);
    fail(4);
    await expect(bench.commitOf(source, signal)).rejects.toMatchObject({ code: 'isolation_unavailable' });
  });
});
