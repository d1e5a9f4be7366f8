import { BuildFailed } from '../build-failed.js';
import { planOf } from '../plan/build-plan.js';
import { inspectionOf } from '../plan/inspection.js';
import { type BuildPlan } from '../plan/plan-types.js';
import { PRESETS } from './catalog.js';
import { derive } from './preset.js';
import { Source } from './source.js';

interface Project {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly configs?: Readonly<Record<string, string>>;
}

const inspected = ({
  dependencies = {},
  scripts = {},
  files = [],
  configs = {},
}: Project): ReturnType<typeof inspectionOf> =>
  inspectionOf({
    found: true,
    entries: ['package.json', ...Object.keys(configs), ...files.filter((file) => !file.includes('/'))],
    paths: ['package.json', ...Object.keys(configs), ...files],
    configs,
    manifest: { dependencies, scripts },
  });
const plan = (project: Project): BuildPlan =>
  planOf({}, inspected(project), { nodeVersions: ['24'], report: () => undefined });
const shown = (project: Project): (string | null)[] => {
  const { framework, build, pack, serve } = plan(project);
  const { kind, server } = serve({ output: '', server: '' });
  return [framework, build, kind, kind === 'static' ? pack.candidates[0]!.named : server!.command.join(' ')];
};

describe('the preset of', () => {
  const angularJson = JSON.stringify({
    projects: { shop: { projectType: 'application', architect: { build: { options: {} } } } },
  });
  const angularSsr = JSON.stringify({
    projects: { shop: { architect: { build: { options: { outputPath: 'dist/web', ssr: { entry: 'server.ts' } } } } } },
  });
  const vue = { vite: '^7', vue: '^3' };

  // The dependencies and scripts are those of the starters that the projects themselves publish.
  it.each<[string, Project, (string | null)[]]>([
    [
      'Create React App, whose start script is a server for development',
      {
        dependencies: { 'react-scripts': '5.0.1' },
        scripts: { start: 'react-scripts start', build: 'react-scripts build' },
      },
      ['create-react-app', 'npm run build', 'static', 'build'],
    ],
    [
      'Angular, whose start script is a server for development',
      {
        dependencies: { '@angular/core': '^20' },
        scripts: { start: 'ng serve', build: 'ng build' },
        configs: { 'angular.json': angularJson },
      },
      ['angular', 'npm run build', 'static', 'dist/shop/browser'],
    ],
    [
      'Angular with server rendering',
      {
        dependencies: { '@angular/core': '^20', express: '^5' },
        scripts: { start: 'ng serve' },
        configs: { 'angular.json': angularSsr },
      },
      ['angular', 'npx ng build', 'server', 'env NG_ALLOWED_HOSTS=* node dist/web/server/server.mjs'],
    ],
    [
      'Gatsby',
      { dependencies: { gatsby: '^5' }, scripts: { start: 'gatsby develop', build: 'gatsby build' } },
      ['gatsby', 'npm run build', 'static', 'public'],
    ],
    [
      'Docusaurus',
      { dependencies: { '@docusaurus/core': '3' }, scripts: { start: 'docusaurus start' } },
      ['docusaurus', 'npx docusaurus build', 'static', 'build'],
    ],
    [
      'Eleventy',
      {
        dependencies: { '@11ty/eleventy': '^3' },
        scripts: { start: 'npx @11ty/eleventy --serve' },
        files: ['public/a.css', 'public'],
      },
      ['eleventy', 'npx @11ty/eleventy', 'static', '_site'],
    ],
    [
      'VitePress in docs',
      {
        dependencies: { vitepress: '^1' },
        scripts: { 'docs:build': 'vitepress build docs' },
        files: ['docs', 'docs/.vitepress'],
      },
      ['vitepress', 'npm run docs:build', 'static', 'docs/.vitepress/dist'],
    ],
    [
      'Hexo',
      { dependencies: { hexo: '^7' }, scripts: { build: 'hexo generate', server: 'hexo server' } },
      ['hexo', 'npm run build', 'static', 'public'],
    ],
    [
      'Storybook',
      { dependencies: { storybook: '^9', vite: '^7' }, scripts: { 'build-storybook': 'storybook build' } },
      ['storybook', 'npm run build-storybook', 'static', 'storybook-static'],
    ],
    [
      'Vite',
      { dependencies: vue, scripts: { build: 'vite build', preview: 'vite preview' }, files: ['index.html'] },
      ['vite', 'npm run build', 'static', 'dist'],
    ],
    [
      'Vite with another directory',
      { dependencies: vue, configs: { 'vite.config.ts': "export default { build: { outDir: './site' } }" } },
      ['vite', 'npx vite build', 'static', 'site'],
    ],
    [
      'Vite with a server of its own',
      { dependencies: { ...vue, express: '^5' }, scripts: { start: 'node server.js' }, files: ['index.html'] },
      ['vite', 'npx vite build', 'server', 'node server.js'],
    ],
    [
      'Vite with a preview as start script',
      { dependencies: vue, scripts: { start: 'vite preview --port $PORT' }, files: ['index.html'] },
      ['vite', 'npx vite build', 'static', 'dist'],
    ],
    [
      'Next.js with an export',
      {
        dependencies: { next: '16' },
        configs: { 'next.config.ts': "export default { output: 'export', distDir: 'web' }" },
      },
      ['nextjs', 'npx next build', 'static', 'web'],
    ],
    [
      'Astro without an adapter',
      { dependencies: { astro: '^5' }, configs: { 'astro.config.mjs': '// output: "server"\nexport default {}' } },
      ['astro', 'npx astro build', 'static', 'dist'],
    ],
    [
      'Astro with a server',
      { dependencies: { astro: '^5' }, configs: { 'astro.config.mjs': "export default { output: 'server' }" } },
      ['astro', 'npx astro build', 'server', 'env HOST=0.0.0.0 node dist/server/entry.mjs'],
    ],
    [
      'SvelteKit with adapter-static',
      {
        dependencies: { '@sveltejs/kit': '^2' },
        configs: { 'svelte.config.js': "import a from '@sveltejs/adapter-static'" },
      },
      ['sveltekit', 'npx vite build', 'static', 'build'],
    ],
    [
      'Nuxt that generates',
      { dependencies: { nuxt: '^4' }, scripts: { build: 'nuxt generate' } },
      ['nuxt', 'npm run build', 'static', '.output/public'],
    ],
    [
      'Nuxt',
      { dependencies: { nuxt: '^4' }, scripts: { build: 'nuxt build' } },
      ['nuxt', 'npm run build', 'server', 'env HOST=0.0.0.0 node server/index.mjs'],
    ],
    [
      'React Router without server rendering',
      {
        dependencies: { '@react-router/dev': '^7' },
        configs: { 'react-router.config.ts': 'export default { ssr: false }' },
      },
      ['react-router', 'npx react-router build', 'static', 'build/client'],
    ],
    [
      'NestJS',
      {
        dependencies: { '@nestjs/core': '^11' },
        scripts: { build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' },
      },
      ['nestjs', 'npm run build', 'server', 'node dist/main'],
    ],
    [
      'Express without a start script',
      { dependencies: { express: '^5' }, files: ['src', 'src/index.js'] },
      ['express', null, 'server', 'node --import ./.adapter/serve.mjs src/index.js'],
    ],
    [
      'Hono for Node',
      {
        dependencies: { hono: '^4', '@hono/node-server': '^1' },
        scripts: { start: 'node dist/index.js', build: 'tsc' },
      },
      ['hono', 'npm run build', 'server', 'node dist/index.js'],
    ],
    [
      'pages that are developed with a static server',
      { scripts: { start: 'live-server' }, files: ['index.html'] },
      ['static', null, 'static', 'the root directory'],
    ],
    [
      'Next.js',
      { dependencies: { next: '^16' }, scripts: { start: 'next start' } },
      ['nextjs', 'npx next build', 'server', 'node server.js'],
    ],
    [
      'Next.js in a server of the project',
      { dependencies: { next: '^16' }, scripts: { start: 'NODE_ENV=production tsx server.ts', build: 'next build' } },
      [
        'nextjs',
        'npm run build',
        'server',
        'sh -c PATH="$PWD/node_modules/.bin:$PATH"; NODE_ENV=production tsx server.ts',
      ],
    ],
    [
      'Next.js whose start script runs the standalone server',
      { dependencies: { next: '^16' }, scripts: { start: 'node .next/standalone/server.js' } },
      ['nextjs', 'npx next build', 'server', 'node server.js'],
    ],
    [
      'webpack',
      { dependencies: { webpack: '^5' }, scripts: { start: 'webpack serve --open', build: 'webpack' } },
      ['static', 'npm run build', 'static', 'dist'],
    ],
    [
      'a start script that runs the script of a server for development',
      { dependencies: { umi: '^4' }, scripts: { dev: 'umi dev', start: 'npm run dev', build: 'umi build' } },
      ['static', 'npm run build', 'static', 'dist'],
    ],
    [
      'Brunch, whose start script watches',
      { dependencies: { brunch: '^2' }, scripts: { start: 'brunch watch --server', build: 'brunch build' } },
      ['static', 'npm run build', 'static', 'dist'],
    ],
    [
      'an ejected Create React App',
      {
        dependencies: { react: '^18', 'react-dev-utils': '^12' },
        scripts: { start: 'node scripts/start.js', build: 'node scripts/build.js' },
      },
      ['create-react-app', 'npm run build', 'static', 'build'],
    ],
    [
      'Nuxt 2',
      { dependencies: { nuxt: '^2.15.8' }, scripts: { build: 'nuxt build', start: 'nuxt start' } },
      ['nuxt', 'npm run build', 'server', 'env HOST=0.0.0.0 node node_modules/nuxt/bin/nuxt.js start'],
    ],
    [
      'NestJS without its command line',
      { dependencies: { '@nestjs/core': '^7', typescript: '^4' }, scripts: { start: 'node index.js' } },
      ['nestjs', 'npx tsc', 'server', 'node dist/main.js'],
    ],
    [
      'Vite with the plugin of Cloudflare, which leaves a Worker beside the pages',
      { dependencies: { ...vue, '@cloudflare/vite-plugin': '^1' }, files: ['index.html', 'vite.config.ts'] },
      ['vite', 'npx vite build', 'static', 'dist/client'],
    ],
    [
      'Hono built by Vite, without a page',
      { dependencies: { hono: '^4', vite: '^8' }, files: ['vite.config.ts', 'src', 'src/index.tsx'] },
      ['hono', null, 'server', 'node --import ./.adapter/node_modules/tsx/dist/loader.mjs .adapter/serve.mjs'],
    ],
  ])('%s', (_, project, expected) => {
    expect(shown(project)).toEqual(expected);
  });

  it('Qwik City with an adapter for another host refuses, and names what to run', () => {
    const files = ['adapters', 'adapters/vercel-edge'];
    expect(() => plan({ dependencies: { '@builder.io/qwik-city': '^1', vite: '^7' }, files })).toThrow(
      /npm run qwik add express/,
    );
  });

  it('Expo with API routes refuses, and names them and the setting', () => {
    const configs = { 'app.json': JSON.stringify({ expo: { web: { output: 'server' } } }) };
    const files = ['src', 'src/app', 'src/app/api', 'src/app/api/hello+api.ts'];
    expect(() => plan({ dependencies: { expo: '^54' }, configs, files })).toThrow(
      /src\/app\/api\/hello\+api\.ts.+ set web\.output to "static"/,
    );
    // Without a server, the routes are left out by Expo itself.
    const asStatic = { 'app.json': JSON.stringify({ expo: { web: { output: 'static' } } }) };
    expect(shown({ dependencies: { expo: '^54' }, configs: asStatic, files })[2]).toBe('static');
  });

  it.each([
    ['umi', { build: 'umi build' }, 'index.html'],
    ['react-router-dom', { build: 'webpack' }, 'index.html'],
    ['jquery', { build: 'webpack' }, null],
    ['wouter', {}, null],
  ])('static files with %s and the scripts %j answer unknown addresses by %j', (name, scripts, fallback) => {
    const project = { dependencies: { [name]: '*' }, scripts, files: ['index.html'] };
    expect(plan(project)).toMatchObject({ framework: 'static', pages: { fallback } });
  });

  it.each([
    ['app.json', '{"expo":{"web":{"output":"server"}}}', '{"expo":{"web":{"output":"static"}}}'],
    ['app.config.ts', "export default { web: { output: 'server' } }", "export default { web: { output: 'static' } }"],
  ])(
    'Expo with the output of a server in %s, and nothing that needs one, is exported as files',
    (file, text, changed) => {
      const { adapter, pages } = plan({ dependencies: { expo: '^58' }, configs: { [file]: text } });
      expect(adapter?.files).toEqual({ [file]: changed });
      expect(pages).toEqual({ fallback: null, notFound: '+not-found.html' });
    },
  );

  it.each([
    [
      'Astro',
      {
        dependencies: { astro: '^4.2.0' },
        configs: { 'astro.config.mjs': "import v from '@astrojs/vercel'; export default { adapter: v() }" },
      },
      '@astrojs/node@^8',
    ],
    [
      'SvelteKit',
      {
        dependencies: { '@sveltejs/kit': '^2.16' },
        configs: { 'svelte.config.js': "import a from '@sveltejs/adapter-auto'" },
      },
      '@sveltejs/adapter-node@^5',
    ],
  ])('%s with the adapter of another host adds one for Node, and wraps the configuration', (_, project, added) => {
    const { adapter } = plan(project);
    expect(adapter?.packages).toEqual([added]);
    expect(adapter?.wraps?.text).toContain(`from './${adapter?.wraps?.original}'`);
  });

  const worker = { 'wrangler.json': '{\n  "name": "api",\n  "main": "src/index.ts"\n}' };
  it.each<[string, Project, RegExp]>([
    ['a Worker', { configs: worker, files: ['src', 'src/index.ts'] }, /a Worker of Cloudflare in wrangler\.json/],
    [
      'a Worker with pages and a start script for development',
      { configs: worker, files: ['public', 'src/index.ts'], scripts: { start: 'wrangler dev' } },
      /a Worker of Cloudflare in wrangler\.json/,
    ],
    [
      'a Worker that its scripts name',
      {
        configs: { 'wrangler.toml': 'name = "api"' },
        files: ['src/index.ts'],
        scripts: { dev: 'wrangler dev src/index.ts' },
      },
      /a Worker of Cloudflare in wrangler\.toml/,
    ],
    [
      'React Router for Workers',
      {
        dependencies: { '@react-router/dev': '^7', '@cloudflare/vite-plugin': '^1' },
        configs: { 'vite.config.ts': "import { cloudflare } from '@cloudflare/vite-plugin'" },
      },
      /Remove the plugin from vite\.config/,
    ],
    [
      'an app that is made a function',
      { dependencies: { express: '^4', 'serverless-http': '^3' }, files: ['index.js', 'serverless.yml'] },
      /functions of the Serverless Framework in serverless\.yml/,
    ],
    [
      'a function for AWS Lambda, whose file exports a handler and no app',
      {
        dependencies: { hono: '^4' },
        files: ['src', 'src/index.ts'],
        scripts: {
          build: 'esbuild --bundle --outfile=./dist/index.js --platform=node --target=node20 ./src/index.ts',
          deploy: 'run-s build zip update',
          update: 'aws lambda update-function-code --zip-file fileb://lambda.zip --function-name hello',
        },
      },
      /a function for AWS Lambda in package\.json.+[Ss]et the start command/,
    ],
    ['a program of another language', { scripts: { start: 'ruby app.rb' } }, /a program of Ruby.+"ruby app\.rb"/],
    [
      'a server whose build leaves what has to be started',
      {
        dependencies: { express: '^4' },
        files: ['src', 'src/main.ts'],
        scripts: { start: 'nx serve', build: 'nx build' },
      },
      /"nx serve", is for development.+set the start command/,
    ],
  ])('%s is refused, and the message names it', (_, project, says) => {
    expect(() => plan(project)).toThrow(says);
  });

  it('a site whose wrangler.json names pages only is published', () => {
    const configs = { 'wrangler.json': '{"assets":{"directory":"public"}}' };
    expect(shown({ configs, files: ['public'] })).toEqual(['static', null, 'static', 'dist']);
  });

  it('any framework with a start command is a server', () => {
    const made = planOf({ startCommand: 'node serve.js' }, inspected({ dependencies: vue, files: ['index.html'] }), {
      nodeVersions: ['24'],
      report: () => undefined,
    });
    expect(made.serve({ output: '', server: null }).server?.command).toEqual(['node', 'serve.js']);
    expect(made.settings.start_command).toEqual({ value: 'node serve.js', source: 'set' });
  });
});

describe('every preset', () => {
  const source = new Source(inspected({ files: ['server.js', 'adapters/express'], scripts: { serve: 'node a.js' } }));

  it.each(PRESETS.map((preset) => [preset.name, preset] as const))(
    '%s publishes nothing next to its server code',
    (_, preset) => {
      for (const mode of preset.modes) {
        if (mode.kind !== 'server') continue;
        for (const { directory } of derive(mode.publicFiles ?? [], source)) {
          expect(directory).not.toMatch(/^\.?$|(?:^|\/)server(?:\/|$)|node_modules/);
          expect(['dist', 'build', '.output', '.next'].includes(directory) && preset.name !== 'qwik').toBe(false);
        }
      }
    },
  );

  it('is refused with a sentence of its own when it cannot start', () => {
    expect(() => plan({ dependencies: { koa: '^3' } })).toThrow(BuildFailed);
    expect(() => plan({ dependencies: { koa: '^3' } })).toThrow(/Add a start script, or set the start command/);
  });
});
