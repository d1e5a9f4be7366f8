import { planOf } from './build-plan.js';
import { type Inspection } from './inspection.js';
import { packageManagerFactsOf } from './package-manager.js';
import { type BuildPlan } from './plan-types.js';

/** The plan of a project with these packages and files. */
function planned(dependencies: Record<string, string>, files: Record<string, string>): BuildPlan {
  const paths = Object.keys(files);
  const scripts = { build: 'vite build' };
  const inspection: Inspection = {
    dockerfile: null,
    ...{ found: true, hasWorkspaces: false, nodeFile: null, vercel: null, netlify: null, lock: null, workspace: null },
    manifest: { scripts, dependencies, node: null, packageManager: null, main: null },
    entries: [...new Set(paths.map((path) => path.split('/')[0]!))],
    paths: [...new Set(paths.flatMap((path) => path.split('/').map((_, end, all) => all.slice(0, end + 1).join('/'))))],
    configs: files,
    ...{ locks: [], packages: [], directories: [], installHash: 'a'.repeat(64) },
    ...{ python: null, procfile: null, falsePages: [], unfetched: { submodules: [], pointers: [] } },
    ...{ packageManager: packageManagerFactsOf({}, null) },
  };
  return planOf({}, inspection, { nodeVersions: ['24'], report: () => undefined });
}

const start = (plan: BuildPlan): string => plan.serve({ output: '', server: null }).server!.command.join(' ');

describe('the adapter that a build adds', () => {
  it.each([
    ['^5.17.3', '@astrojs/node@^9'],
    ['^6.3.0', '@astrojs/node@^10'],
    ['^7.3.5', '@astrojs/node@^11'],
    ['latest', '@astrojs/node@latest'],
  ])('fits version %s of Astro', (version, adapter) => {
    const config = `export default { output: 'server' }`;
    expect(planned({ astro: version }, { 'astro.config.mjs': config }).adapter?.packages).toEqual([adapter]);
  });

  it('replaces that of SvelteKit where vite.config names it, and keeps the rest', () => {
    const config = [
      `import adapter from '@sveltejs/adapter-auto';`,
      `import { sveltekit } from '@sveltejs/kit/vite';`,
      '// https://svelte.dev',
      'export default { plugins: [sveltekit({ adapter: adapter() })] };',
    ].join('\n');
    const { adapter } = planned({ '@sveltejs/kit': '^2.63.0' }, { 'vite.config.ts': config });
    expect(adapter).toMatchObject({
      packages: ['@sveltejs/adapter-node@^5'],
      links: ['@sveltejs/adapter-node'],
      wraps: {
        file: 'vite.config.ts',
        original: 'vite.config.original.ts',
        text: config.replace('adapter-auto', 'adapter-node'),
      },
    });
  });

  it.each(['@sveltejs/adapter-vercel', '@sveltejs/adapter-cloudflare', 'svelte-adapter-azure-swa'])(
    'replaces %s by the one for version 3 of SvelteKit',
    (name) => {
      const { adapter } = planned({ '@sveltejs/kit': '^3.2.0' }, { 'vite.config.js': `import a from "${name}";` });
      expect(adapter?.packages).toEqual(['@sveltejs/adapter-node@^6']);
      expect(adapter?.wraps?.text).toBe(`import a from '@sveltejs/adapter-node';`);
    },
  );

  it('is none where SvelteKit has the right one, and a refusal where it has no place for one', () => {
    const kit = { '@sveltejs/kit': '^2.63.0' };
    expect(planned(kit, { 'vite.config.js': `import a from '@sveltejs/adapter-node';` }).adapter).toBeNull();
    expect(() => planned(kit, { 'vite.config.js': 'export default {};' })).toThrow('SvelteKit has no adapter');
  });

  it('is that of node-server for Qwik City without one, and its build follows that of the project', () => {
    const plan = planned({ '@builder.io/qwik-city': '^1.20.1' }, { 'vite.config.ts': '' });
    expect(plan.build).toBe('npm run build && npx vite build -c adapters/node-server/vite.config.ts');
    expect(Object.keys(plan.adapter!.files!)).toEqual([
      'adapters/node-server/vite.config.ts',
      'src/entry.node-server.tsx',
    ]);
    expect(start(plan)).toContain('node server/entry.node-server.js');
  });

  it('is a refusal for Qwik City with an adapter for another host', () => {
    const files = { 'adapters/vercel-edge/vite.config.ts': '' };
    expect(() => planned({ '@builder.io/qwik-city': '^1.20.1' }, files)).toThrow('npm run qwik add express');
  });
});

describe('the server of Angular', () => {
  it('answers all hosts that the service sends to it', () => {
    const workspace = {
      projects: { shop: { projectType: 'application', architect: { build: { options: { ssr: {} } } } } },
    };
    const plan = planned({ '@angular/core': '^22.2.0' }, { 'angular.json': JSON.stringify(workspace) });
    expect(start(plan)).toBe('env NG_ALLOWED_HOSTS=* node dist/shop/server/server.mjs');
  });
});
