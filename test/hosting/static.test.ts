import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { LIMITS, NO_ROUTING, built, deploy, visit } from '../support/hosting.js';
import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import { onThisMachine } from '../support/patience.js';
import { eventually, useApp } from '../support/test-app.js';

const LONG = `<h1>${'Long enough to be worth compressing. '.repeat(100)}</h1>`;

describe('a deploy of static files', () => {
  const app = useApp();
  let label: string;

  beforeAll(async () => {
    ({ label } = await deploy(
      app,
      built({
        'index.html': '<h1>Home</h1>',
        'long.html': LONG,
        'style.css': 'a{}',
        'docs/index.html': 'Docs',
        'empty.txt': '',
        'file name ä.txt': 'umlaut',
        'assets/app-3f9x2a7c.js': 'hashed',
        'assets/plain.js': 'not hashed',
        'photo.png': Buffer.from([0x89, 0x50, 0, 0xff]),
        'big.bin': Buffer.alloc(9_000_000, 'x'),
        '404.html': 'Custom not found',
        '.env': 'SECRET=1',
        '.git/config': 'x',
        '.well-known/security.txt': 'contact',
        ['__proto__']: 'proto',
      }),
    ));
  });

  it('serves pages and files under its host, and the platform under its own', async () => {
    expect(await visit(app, label)).toMatchObject({
      status: 200,
      text: '<h1>Home</h1>',
      headers: { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
    expect(await visit(app, label, '/style.css')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/css; charset=utf-8' },
    });
    expect(await visit(app, label, '/photo.png')).toMatchObject({
      headers: { 'content-type': 'image/png', 'content-length': '4' },
    });
    expect(await visit(app, label, '/file%20name%20%C3%A4.txt?v=1')).toMatchObject({ status: 200, text: 'umlaut' });
    expect(await visit(app, label, '/__proto__')).toMatchObject({ status: 200, text: 'proto' });
    expect(await visit(app, label, '/empty.txt')).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '0' },
    });
    expect((await app.fetch('/health')).status).toBe(200);
  });

  it('takes precedence over platform routes on its host', async () => {
    for (const path of ['/health', '/api/v1/me', '/docs/plans', '/metrics', '/api/v1/nothing']) {
      const page = await visit(app, label, path);
      expect(page).toMatchObject({ status: 404, text: 'Custom not found' });
      expect(
        Object.keys(page.headers).filter((name) =>
          /^x-(service|request|trace)|ratelimit|set-cookie|content-security|strict/.test(name),
        ),
      ).toEqual([]);
    }
    expect((await app.fetch('/style.css')).status).toBe(404);
    const misdirected = await app.raw(`GET /health HTTP/1.1\r\nHost: ${label}.localhost\r\nConnection: close\r\n\r\n`);
    expect(misdirected).toMatch(/^HTTP\/1\.1 421 [^]*"code":"misdirected_request"/);
    expect((await visit(app, label, '/style.css', { host: `127.0.0.1:${app.appsPort}` })).status).toBe(404);
    expect((await visit(app, label, '/style.css', { host: 'localhost' })).status).toBe(404);
  });

  it('matches its host name in any case, and behind a trusted proxy', async () => {
    for (const host of [`${label.toUpperCase()}.LocalHost`, `${label}.localhost.`, `${label}.localhost:80`]) {
      expect((await visit(app, label, '/style.css', { host })).status).toBe(200);
    }
    expect(
      (
        await visit(app, label, '/style.css', {
          host: 'upstream',
          headers: { 'x-forwarded-host': `${label}.localhost` },
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await visit(app, label, '/style.css', {
          host: 'other.localhost',
          headers: { 'x-forwarded-host': `${label}.localhost` },
        })
      ).status,
    ).toBe(404);
  });

  it('returns 304 for unchanged files', async () => {
    const { headers } = await visit(app, label, '/long.html');
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=0, must-revalidate',
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      'last-modified': expect.stringMatching(/GMT$/),
    });
    for (const tag of [headers.etag!, `W/${headers.etag}`, `"other", ${headers.etag}`, '*']) {
      const page = await visit(app, label, '/long.html', { headers: { 'if-none-match': tag } });
      expect(page).toMatchObject({ status: 304, text: '', headers: { etag: headers.etag, vary: 'Accept-Encoding' } });
      expect(page.headers['content-type']).toBeUndefined();
    }
    expect((await visit(app, label, '/long.html', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    expect(
      (await visit(app, label, '/long.html', { headers: { 'if-modified-since': headers['last-modified']! } })).status,
    ).toBe(304);
    expect(
      (await visit(app, label, '/long.html', { headers: { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' } }))
        .status,
    ).toBe(200);
    // The tag decides where there are both.
    expect(
      (
        await visit(app, label, '/long.html', {
          headers: { 'if-none-match': '"other"', 'if-modified-since': headers['last-modified']! },
        })
      ).status,
    ).toBe(200);
  });

  it('caches files with a hash in their name for ever', async () => {
    expect((await visit(app, label, '/assets/app-3f9x2a7c.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    );
    expect((await visit(app, label, '/assets/plain.js')).headers['cache-control']).toBe(
      'public, max-age=0, must-revalidate',
    );
  });

  it('compresses for clients that accept it, with separate ETags', async () => {
    const plain = await visit(app, label, '/long.html');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const br = await visit(app, label, '/long.html', { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(br.body).toString()).toBe(LONG);
    const gzip = await visit(app, label, '/long.html', { headers: { 'accept-encoding': 'br;q=0, gzip;q=0.5' } });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).toString()).toBe(LONG);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    expect(
      (await visit(app, label, '/style.css', { headers: { 'accept-encoding': 'br' } })).headers['content-encoding'],
    ).toBeUndefined();
    expect(
      (await visit(app, label, '/long.html', { headers: { 'accept-encoding': 'identity' } })).headers[
        'content-encoding'
      ],
    ).toBeUndefined();
  });

  it('serves ranges', async () => {
    const part = (range: string, path = '/long.html', headers = {}): ReturnType<typeof visit> =>
      visit(app, label, path, { headers: { range, ...headers } });
    expect(await part('bytes=0-3')).toMatchObject({
      status: 206,
      text: '<h1>',
      headers: { 'content-range': `bytes 0-3/${LONG.length}`, 'content-length': '4' },
    });
    expect(await part('bytes=-5')).toMatchObject({ status: 206, text: '</h1>' });
    expect((await part(`bytes=${LONG.length - 5}-99999999`)).text).toBe('</h1>');
    expect((await part('bytes=4-', '/long.html', { 'accept-encoding': 'br' })).text).toBe(LONG.slice(4));
    expect((await part('bytes=8999998-', '/big.bin')).text).toBe('xx');
    expect(await part(`bytes=${LONG.length}-`)).toMatchObject({
      status: 416,
      headers: { 'content-range': `bytes */${LONG.length}` },
    });
    expect((await part('bytes=-0')).status).toBe(416);
    for (const all of ['bytes=0-1,3-4', 'bytes=3-1', 'bytes=-', 'lines=0-1'])
      expect((await part(all)).status).toBe(200);
    const { etag } = (await visit(app, label, '/long.html')).headers;
    expect((await part('bytes=0-3', '/long.html', { 'if-range': etag })).status).toBe(206);
    expect((await part('bytes=0-3', '/long.html', { 'if-range': '"other"' })).status).toBe(200);
  });

  it('accepts GET, and HEAD with the same headers', async () => {
    expect(await visit(app, label, '/long.html', { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': String(LONG.length) },
    });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect(await visit(app, label, '/', { method, body: 'x' })).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD' },
      });
    }
  });

  it('serves large files completely', async () => {
    const { body } = await visit(app, label, '/big.bin');
    expect(body.length).toBe(9_000_000);
  });

  it('redirects to a directory with an index, and keeps the query', async () => {
    expect(await visit(app, label, '/docs?a=b')).toMatchObject({ status: 308, headers: { location: '/docs/?a=b' } });
    expect((await visit(app, label, '/docs/')).text).toBe('Docs');
    expect((await visit(app, label, '//evil.example')).status).toBe(404);
  });

  it.each([
    '/../etc/passwd',
    '/..%2f..%2fetc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/docs%2findex.html',
    '/docs%5cindex.html',
    '/docs\\index.html',
    '/index.html%00',
    '/%',
    '/%c0%ae',
    '/.env',
    '/.git/config',
    '/%2eenv',
    'http://elsewhere.example/',
    '/style.css%0a',
  ])('returns 404 for %s', async (path) => {
    const page = await visit(app, label, path);
    expect([400, 404]).toContain(page.status);
    expect(page.text).not.toMatch(/root:|SECRET|Docs|Home/);
  });

  it('serves .well-known files', async () => {
    expect((await visit(app, label, '/.well-known/security.txt')).text).toBe('contact');
  });

  it('returns a plain page where nothing is deployed', async () => {
    for (const host of [
      'nothing.localhost',
      'a.b.localhost',
      `x${label}.localhost`,
      '%00.localhost',
      `${'a'.repeat(300)}.localhost`,
    ]) {
      expect(await visit(app, label, '/', { host })).toMatchObject({
        status: 404,
        text: expect.stringContaining('Nothing here'),
        headers: { 'cache-control': 'no-store' },
      });
    }
  });

  it('logs one line per request, with the host and path', async () => {
    for (const [name, path] of [
      [label, '/"},{"status":1'],
      [label, '/back\\slash'],
      ["odd'label", '/'],
    ] as const) {
      await app.raw(`GET ${path} HTTP/1.1\r\nHost: ${name}.localhost\r\nConnection: close\r\n\r\n`, {
        port: app.appsPort,
      });
      await eventually(
        () => app.log().some((each) => each['app'] === name && each['path'] === path),
        'the line is there',
      );
      const line = app.log().findLast((each) => each['app'] === name)!;
      expect(line).toEqual({
        level: 'info',
        time: expect.stringMatching(/Z$/),
        process: 'all',
        app: name,
        method: 'GET',
        path,
        status: expect.any(Number),
        durationMs: expect.any(Number),
        ...(name === label ? { deployId: expect.any(String), orgId: 'org_acme' } : {}),
      });
    }
  });

  it('logs deploy and organization without the query, and counts requests', async () => {
    await visit(app, label, '/style.css?token=1');
    const line = app.log().findLast((each) => each['app'] === label && each['path'] === '/style.css')!;
    expect(line).toMatchObject({
      status: 200,
      method: 'GET',
      deployId: expect.stringMatching(/^dpl_/),
      orgId: 'org_acme',
      durationMs: expect.any(Number),
    });
    expect(JSON.stringify(app.log())).not.toContain('token=1');
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/^app_requests_total\{by="static",result="ok"\} [1-9]/m);
    expect(text).toMatch(/^app_request_seconds_count\{by="static"\} [1-9]/m);
    const buckets = [...text.matchAll(/^app_request_seconds_bucket\{le="([^"]+)",by="static"\} (\d+)$/gm)].map(
      ([, le, count]) => [le, Number(count)] as const,
    );
    expect(buckets.map(([le]) => le)).toEqual([
      '0.0005',
      '0.001',
      '0.0025',
      '0.005',
      '0.01',
      '0.025',
      '0.05',
      '0.1',
      '0.25',
      '0.5',
      '1',
      '2.5',
      '5',
      '10',
      '30',
      '+Inf',
    ]);
    const counts = buckets.map(([, count]) => count);
    expect(counts).toEqual([...counts].sort((one, other) => one - other));
    expect(counts.at(-1)).toBe(Number(/^app_request_seconds_count\{by="static"\} (\d+)$/m.exec(text)![1]));
    expect(counts.at(-1)).toBe(
      [...text.matchAll(/^app_requests_total\{by="static",result="\w+"\} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      ),
    );
    expect(Number(/^app_request_seconds_sum\{by="static"\} (\S+)$/m.exec(text)![1])).toBeGreaterThan(0);
  });
});

describe('the routing of a deploy', () => {
  const app = useApp();
  const site = async (files: Record<string, string>, routing: Partial<typeof NO_ROUTING>): Promise<string> =>
    (await deploy(app, built(files, { routing: { ...NO_ROUTING, ...routing } }))).label;

  it('redirects with path parameters', async () => {
    const label = await site(
      { 'index.html': 'home' },
      {
        redirects: [
          { source: '/old/:path*', destination: '/new/:path*' },
          { source: '/blog/:slug(\\d+)', destination: 'https://blog.example/:slug?from=here', statusCode: 301 },
          { source: '/any/(.*)', destination: '/$1', statusCode: 307 },
          {
            source: '/door',
            destination: '/in',
            has: [{ type: 'header', key: 'x-key', value: 'open|ajar' }],
            missing: [{ type: 'cookie', key: 'seen' }],
          },
        ],
      },
    );
    const lead = async (path: string, headers = {}): Promise<unknown> => {
      const page = await visit(app, label, path, { headers });
      return [page.status, page.headers.location];
    };
    expect(await lead('/old/a/b')).toEqual([308, '/new/a/b']);
    expect(await lead('/blog/7')).toEqual([301, 'https://blog.example/7?from=here']);
    expect(await lead('/blog/x')).toEqual([404, undefined]);
    expect(await lead('/any//evil.example')).toEqual([307, '/evil.example']);
    expect(await lead('/any/a%3Fb%20%C3%A4%0d')).toEqual([400, undefined]);
    expect(await lead('/any/a%3Fb%20%C3%A4')).toEqual([307, '/a%3Fb%20%C3%A4']);
    expect(await lead('/door')).toEqual([404, undefined]);
    expect(await lead('/door', { 'x-key': 'open' })).toEqual([308, '/in']);
    expect(await lead('/door', { 'x-key': 'open', cookie: 'a=b; seen=1' })).toEqual([404, undefined]);
  });

  it('rewrites missing files, as a single-page app needs', async () => {
    const label = await site(
      { 'index.html': 'app', 'real.txt': 'real', 'p.html': 'p' },
      {
        rewrites: [
          { source: '/page/:name', destination: '/:name' },
          { source: '/(.*)', destination: '/index.html' },
        ],
      },
    );
    expect((await visit(app, label, '/some/route')).text).toBe('app');
    expect((await visit(app, label, '/real.txt')).text).toBe('real');
    expect((await visit(app, label, '/page/p')).text).toBe('p');
  });

  it('adds and replaces headers', async () => {
    const label = await site(
      { 'index.html': 'home', 'api.json': '{}' },
      {
        headers: [
          {
            source: '/(.*)',
            headers: [
              { key: 'X-Frame-Options', value: 'DENY' },
              { key: 'Set-Cookie', value: 'a=b; Domain=localhost; Path=/' },
            ],
          },
          {
            source: '/api.json',
            headers: [
              { key: 'cache-control', value: 'no-store' },
              { key: 'Access-Control-Allow-Origin', value: '*' },
            ],
          },
        ],
      },
    );
    expect((await visit(app, label)).headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'public, max-age=0, must-revalidate',
      'set-cookie': ['a=b; Path=/'],
    });
    expect((await visit(app, label, '/api.json')).headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
  });

  it('supports clean URLs and trailing slashes', async () => {
    const files = { 'index.html': 'home', 'about.html': 'about', 'docs/index.html': 'docs', 'my 404.html': 'mine' };
    const clean = await site(files, { cleanUrls: true, trailingSlash: false, notFound: 'my 404.html' });
    expect((await visit(app, clean, '/about')).text).toBe('about');
    expect((await visit(app, clean, '/about.html?x=1')).headers.location).toBe('/about?x=1');
    expect((await visit(app, clean, '/index.html')).headers.location).toBe('/');
    expect((await visit(app, clean, '/about/')).headers.location).toBe('/about');
    expect((await visit(app, clean, '/docs')).text).toBe('docs');
    expect((await visit(app, clean, '/docs/')).headers.location).toBe('/docs');
    expect(await visit(app, clean, '/none')).toMatchObject({ status: 404, text: 'mine' });
    const slashes = await site(files, { cleanUrls: true, trailingSlash: true });
    expect((await visit(app, slashes, '/about')).headers.location).toBe('/about/');
    expect((await visit(app, slashes, '/about/')).text).toBe('about');
    expect((await visit(app, slashes, '/docs/')).text).toBe('docs');
  });

  it('evaluates adversarial patterns in bounded time', async () => {
    const label = await site(
      { 'index.html': 'home' },
      {
        redirects: [
          { source: '/:a((?:a+)+)b', destination: '/' },
          { source: '/((?:x|x?)+)y', destination: '/' },
        ],
      },
    );
    const begun = performance.now();
    // Within its budget, or refused.
    expect([404, 400]).toContain((await visit(app, label, `/${'a'.repeat(2_000)}`)).status);
    expect([404, 400]).toContain((await visit(app, label, `/${'x'.repeat(2_000)}`)).status);
    expect(performance.now() - begun).toBeLessThan(onThisMachine(5_000));
  });

  it('rejects paths above 2,048 characters, and requests that exceed the matching budget', async () => {
    const label = await site(
      { 'index.html': 'home' },
      { redirects: [{ source: '/((?:a?){40}(?:b?){40})', destination: '/' }] },
    );
    const long = await visit(app, label, `/${'a'.repeat(2_100)}`);
    expect([long.status, long.text]).toEqual([414, expect.stringContaining('uri_too_long')]);
    const complex = await visit(app, label, `/${'a'.repeat(1_000)}c`);
    expect([complex.status, complex.text]).toEqual([400, expect.stringContaining('request_too_complex')]);
    expect((await visit(app, label, '/')).headers.location).toBe('/');
  });

  it.each([
    [{ redirects: [{ source: '/((?!api).*)', destination: '/' }] }, 'redirect for /'],
    [{ redirects: [{ source: '/a', destination: 'javascript:alert(1)' }] }, 'must begin with'],
    [{ redirects: [{ source: '/a', destination: '//evil.example' }] }, 'must begin with'],
    [{ redirects: [{ source: '/a', destination: '/:b' }] }, 'names b'],
    [{ redirects: [{ source: '/a', destination: '/b', statusCode: 200 }] }, 'no status'],
    [{ rewrites: [{ source: '/a', destination: 'https://elsewhere.example/' }] }, 'paths of the deploy'],
    [{ headers: [{ source: '/a', headers: [{ key: 'X-A', value: 'a\r\nSet-Cookie: b' }] }] }, 'no header'],
    [{ headers: [{ source: '/a', headers: [{ key: 'Content-Length', value: '1' }] }] }, 'not for a deploy'],
    [{ headers: [{ source: '/a', headers: [{ key: 'X-Accel-Redirect', value: '/etc/passwd' }] }] }, 'not for a deploy'],
  ])('is rejected when it is invalid: %j', async (routing, message) => {
    const output = built({ 'index.html': 'x' }, { routing: { ...NO_ROUTING, ...routing } });
    const ingest = app
      .get(ArtifactsService)
      .ingest({ deployId: 'dpl_bad', projectId: 'p', orgId: 'o' }, output, LIMITS, new AbortController().signal);
    await expect(ingest).rejects.toMatchObject({ code: 'routing_invalid', message: expect.stringContaining(message) });
  });
});
