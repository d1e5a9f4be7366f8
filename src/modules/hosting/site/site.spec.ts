import type { Routing } from '../built-output.js';
import type { Manifest } from '../ingest/manifest.js';
import { RequestFacts } from './request-facts.js';
import { type Resolution, Site } from './site.js';

const ROUTING: Routing = {
  redirects: [],
  rewrites: [],
  headers: [],
  cleanUrls: false,
  trailingSlash: null,
  notFound: null,
};

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly method?: string;
}

const siteOf = (names: readonly string[], routing: Partial<Routing> = {}, isServer = false): Promise<Site> =>
  Site.open({
    version: 1,
    framework: 'static',
    nodeVersion: null,
    kind: isServer ? 'server' : 'static',
    server: isServer ? { command: ['node', 'x.js'], directory: '' } : null,
    static: [{ directory: isServer ? 'public' : '', prefix: '/', immutable: false }],
    routing: { ...ROUTING, ...routing },
    files: Object.fromEntries(
      names.map((name) => [name, { sha256: Buffer.from(name.padEnd(32, '-')).toString('hex'), bytes: 1 }]),
    ),
  } satisfies Manifest);

function shownAt(site: Site, path: string, { headers = {}, query = '', method = 'GET' }: Asked = {}): string {
  const found: Resolution = site.resolve(path, new RequestFacts('x', query, headers, method === 'GET'));
  if (found.kind === 'redirect') return `${found.status} ${found.location}`;
  if (found.kind === 'none') return found.target ?? 'none';
  const { key } = found.file.representations(new Date(0)).plain;
  const name = Buffer.from(key.replace(/[^0-9a-f]/g, '').slice(-64), 'hex').toString();
  return `${found.status} ${name.split('--')[0]!}`;
}

describe('clean addresses', () => {
  it('show the page of that name, and a page with its extension stays as it is', async () => {
    const site = await siteOf([
      'index.html',
      'about.html',
      'docs/index.html',
      'blog.html',
      'blog/index.html',
      '404.html',
    ]);
    expect(shownAt(site, '/about')).toBe('200 about.html');
    expect(shownAt(site, '/about.html')).toBe('200 about.html');
    expect(shownAt(site, '/docs')).toBe('308 /docs/');
    expect(shownAt(site, '/blog')).toBe('200 blog.html');
    expect(shownAt(site, '/blog/')).toBe('200 blog/index.html');
    expect(shownAt(site, '/404')).toBe('404 404.html');
    expect(shownAt(site, '/missing')).toBe('404 404.html');
  });

  it('redirect from the extension with cleanUrls', async () => {
    const site = await siteOf(['about.html'], { cleanUrls: true });
    expect(shownAt(site, '/about.html')).toBe('308 /about');
  });
});

describe('a single-page app', () => {
  it('answers navigations to unknown paths with its page, and nothing else', async () => {
    const site = await siteOf(['index.html', 'assets/app.js'], { fallback: 'index.html' });
    expect(shownAt(site, '/users/42')).toBe('200 index.html');
    expect(shownAt(site, '/v1.2/users')).toBe('200 index.html');
    expect(shownAt(site, '/users/42', { headers: { 'sec-fetch-mode': 'navigate', accept: 'text/html' } })).toBe(
      '200 index.html',
    );
    expect(shownAt(site, '/api/users', { headers: { 'sec-fetch-mode': 'cors', accept: '*/*' } })).toBe('none');
    expect(shownAt(site, '/api/users', { headers: { accept: 'application/json' } })).toBe('none');
    expect(shownAt(site, '/assets/missing.js')).toBe('none');
  });
});

describe('a deploy with a server', () => {
  const rules: Partial<Routing> = {
    redirects: [{ source: '/old', destination: '/new', statusCode: 301 }],
    rewrites: [
      { source: '/blog/:slug', destination: '/posts?slug=:slug' },
      { source: '/logo', destination: '/logo.png' },
    ],
    headers: [{ source: '/(.*)', headers: [{ key: 'X-From', value: 'rules' }] }],
  };

  it('has redirects and rewrites for requests of any method, and files for those that read', async () => {
    const site = await siteOf(['public/logo.png', 'server.js'], rules, true);
    expect(shownAt(site, '/old')).toBe('301 /new');
    expect(shownAt(site, '/old', { method: 'POST' })).toBe('301 /new');
    expect(shownAt(site, '/blog/a%2fb', { query: '?x=1' })).toBe('/posts?slug=a%252fb&x=1');
    expect(shownAt(site, '/logo')).toBe('200 public/logo.png');
    expect(shownAt(site, '/logo.png', { method: 'POST' })).toBe('none');
    expect(shownAt(site, '/server.js')).toBe('none');
    expect(shownAt(site, '/about')).toBe('none');
  });
});
