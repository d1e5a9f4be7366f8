import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ErrorCatalog } from '../../src/platform/errors/error-catalog.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { listPages } from '../../src/modules/docs/pages/page-list.js';
import { useApp } from '../support/test-app.js';

const PEOPLE = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('the pages for people', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });

  it('have no link that leads nowhere, starting at / and at each error', async () => {
    const errors = app.get(ErrorCatalog).codes.map((code) => `/docs/errors/${code}`);
    const waiting = ['/', '/pricing', '/status', '/docs', '/docs/search?q=deploy', ...errors];
    const seen = new Set(waiting);
    const anchors: [from: string, to: string, id: string][] = [];
    const texts = new Map<string, string>();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const page = await app.fetch(path);
      expect([path, page.status]).toEqual([path, 200]);
      if (!page.headers.get('content-type')!.startsWith('text/html')) continue;
      texts.set(path, page.text);
      for (const [, href] of page.text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        const { pathname, search, hash, origin } = new URL(href!.replaceAll('&amp;', '&'), `http://api.test${path}`);
        // The web app is one page for all addresses, which is served where it was built.
        if (origin !== 'http://api.test' || pathname.startsWith('/app')) continue;
        const target = pathname + search;
        if (hash !== '') anchors.push([path, target, decodeURIComponent(hash.slice(1))]);
        if (!seen.has(target)) {
          seen.add(target);
          waiting.push(target);
        }
      }
    }
    const broken = anchors.filter(([, to, id]) => texts.has(to) && !texts.get(to)!.includes(`id="${id}"`));
    expect(broken).toEqual([]);
    expect(seen.size).toBeGreaterThan(150);
  });

  it('show every Markdown page of the documentation', async () => {
    const pages = [...listPages()];
    expect(pages.length).toBeGreaterThan(150);
    for (const [address, file] of pages) {
      expect(existsSync(join(PROJECT_ROOT, file))).toBe(true);
      const page = await app.fetch(`/docs/${address}`);
      expect([address, page.status]).toEqual([address, 200]);
      expect(page.text).toContain('<h1>');
    }
  });

  it('are Markdown to programs that ask for it, with errors among them', async () => {
    for (const name of ['webhooks', 'errors/invalid_request']) {
      const page = await app.fetch(`/docs/${name}`, { headers: { accept: 'text/markdown' } });
      expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(page.headers.get('vary')).toContain('Accept');
      expect(page.text).toBe(readFileSync(join(PROJECT_ROOT, `docs/${name}.md`), 'utf8'));
    }
    const runbook = await app.fetch('/docs/runbooks/agent-runs', { headers: { accept: 'text/markdown' } });
    expect([runbook.status, runbook.text.startsWith('# ')]).toEqual([200, true]);
  });

  it('have each picture that they name, with words for those who do not see it', async () => {
    const shown = new Set<string>();
    for (const [address, file] of listPages()) {
      const markdown = readFileSync(join(PROJECT_ROOT, file), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
      const named = [...markdown.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)];
      if (named.length === 0) continue;
      const { text } = await app.fetch(`/docs/${address}`);
      for (const [, words = '', path = ''] of named) {
        const source = `/docs/pictures/${basename(path)}`;
        expect(words.length).toBeGreaterThan(10);
        expect(text).toContain(`<img src="${source}" alt="${words}"`);
        shown.add(source);
      }
    }
    for (const source of shown) {
      const picture = await app.fetch(source);
      expect([source, picture.status, picture.headers.get('content-type')]).toEqual([source, 200, 'image/webp']);
    }
    const files = readdirSync(join(PROJECT_ROOT, 'docs/pictures'));
    expect([...shown].map((source) => basename(source)).sort()).toEqual(files.sort());
    const bytes = files.map((name) => statSync(join(PROJECT_ROOT, 'docs/pictures', name)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
  });

  it('show each diagram as a picture, and its text', async () => {
    const drawn = new Set<string>();
    for (const [address, file] of listPages()) {
      const markdown = readFileSync(join(PROJECT_ROOT, file), 'utf8');
      const diagrams = markdown.match(/^```mermaid$/gm)?.length ?? 0;
      if (diagrams === 0) continue;
      const { text } = await app.fetch(`/docs/${address}`);
      const pictures = [...text.matchAll(/<figure class="diagram"><img src="([^"]+)"/g)].map(([, source]) => source!);
      // A diagram that has changed is drawn by `npm run diagrams`.
      expect([address, pictures.length]).toEqual([address, diagrams]);
      for (const source of pictures) {
        const picture = await app.fetch(source);
        expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
        drawn.add(basename(source));
      }
    }
    expect([...drawn].sort()).toEqual(readdirSync(join(PROJECT_ROOT, 'docs/diagrams')).sort());
  });

  it('come with the strict policy and without inline scripts or styles', async () => {
    for (const path of [
      '/',
      '/pricing',
      '/status',
      '/docs',
      '/docs/deploys',
      '/docs/errors/invalid_request',
      '/no-such',
    ]) {
      const page = await app.fetch(path, PEOPLE);
      expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
      expect(page.text).not.toMatch(/<style|<script>|<script (?!src|type="module" src)| style=| on\w+="/);
    }
  });

  it('never show a file that is not on their list', async () => {
    for (const path of [
      '..%2f..%2fpackage.json',
      '%2e%2e/README',
      'errors/..%2f..%2f.env',
      'pictures/..%2fREADME.md',
      'pictures/nothing.webp',
      'nothing',
      'README',
      'a/'.repeat(50),
    ])
      expect([path, (await app.fetch(`/docs/${path}`)).status]).toEqual([path, 404]);
  });

  it('have the plans and the prices that the API has', async () => {
    const { text } = await app.fetch('/pricing');
    for (const { name } of (await app.fetch('/api/v1/billing/plans')).body.data)
      expect(text).toContain(`<h2>${name}</h2>`);
    for (const { price_usd: price } of (await app.fetch('/api/v1/billing/prices')).body.data)
      expect(text).toContain(`$${price}<`);
  });

  it('say whether each part works', async () => {
    const { text } = await app.fetch('/status');
    const { details } = (await app.fetch('/ready')).body;
    expect(text.match(/class="state (good|warn|bad)"/g)).toHaveLength(Object.keys(details as object).length);
  });

  it('find sections by words, and escape what was asked for', async () => {
    const { body } = await app.fetch('/docs/suggestions?q=rollback');
    expect(body.data.length).toBeGreaterThan(0);
    expect(body.data[0].address).toMatch(/^\/docs\//);
    expect((await app.fetch('/docs/search?q=rollbck')).text).toContain('/docs/deploys');
    const odd = await app.fetch(`/docs/search?q=${encodeURIComponent('<script>alert(1)</script>')}`);
    expect([odd.status, odd.text.includes('<script>alert')]).toEqual([200, false]);
    for (const query of ['', '?q=', '?q=a&q=b', `?q=${'x '.repeat(2_000)}`, '?q[a]=b'])
      expect((await app.fetch(`/docs/search${query}`)).status).toBe(200);
  });

  it('explain errors to browsers, and leave programs their JSON', async () => {
    const page = await app.fetch('/no-such-page', PEOPLE);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Page not found');
    expect((await app.fetch('/no-such-page')).body.error.code).toBe('route_not_found');
    expect((await app.fetch('/api/v1/no-such', PEOPLE)).body.error.code).toBe('route_not_found');
    expect((await app.fetch('/docs/no-such', PEOPLE)).text).toContain('page_not_found');
  });
});
