import { as, expectStatus } from '../support/make.js';
import { BUCKETS, Storing } from '../support/storing.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
const DOMAIN = 'storage.localhost';
const SHOP = 'https://shop.example';

beforeAll(() => storage.begin());

const preflight = (origin: string, method: string, headers?: string): Record<string, string> => ({
  origin,
  'access-control-request-method': method,
  ...(headers === undefined ? {} : { 'access-control-request-headers': headers }),
});

const rules = [
  {
    origins: [SHOP],
    methods: ['GET', 'PUT'],
    headers: ['content-type'],
    expose_headers: ['ETag'],
    max_age_seconds: 60,
  },
];

it('answers preflights of S3 and public hosts by the rules of the bucket', async () => {
  const { label } = await storage.bucket({ visibility: 'public', cors: rules });
  for (const [host, path] of [
    [`${label}.${DOMAIN}`, '/a.txt'],
    [DOMAIN, `/${label}/a.txt`],
  ] as const) {
    const ask = (headers: Record<string, string>): ReturnType<Storing['ask']> =>
      storage.ask(host, path, { method: 'OPTIONS', headers });
    const allowed = await ask(preflight(SHOP, 'PUT', 'content-type'));
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': 'GET, PUT',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '60',
    });
    expect(allowed.headers).not.toHaveProperty('access-control-allow-credentials');
    for (const refused of [
      preflight('https://evil.example', 'GET'),
      preflight('https://shop.example.evil', 'GET'),
      preflight('null', 'GET'),
      preflight(SHOP, 'DELETE'),
      preflight(SHOP, 'PUT', 'content-type, x-other'),
      preflight(SHOP, 'PUT', 'a,'.repeat(1_000)),
    ]) {
      const answer = await ask(refused);
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    }
  }
});

it('lets pages read what a rule exposes, and no others', async () => {
  const { id, label } = await storage.bucket({ visibility: 'public', cors: rules });
  expectStatus(200, await storage.put(id, 'a.txt', 'hello'));
  const host = `${label}.${DOMAIN}`;
  const read = await storage.ask(host, '/a.txt', { headers: { origin: SHOP } });
  expect([read.status, read.text]).toEqual([200, 'hello']);
  expect(read.headers).toMatchObject({
    'access-control-allow-origin': SHOP,
    'access-control-expose-headers': 'ETag',
    vary: expect.stringContaining('Origin'),
  });
  const other = await storage.ask(host, '/a.txt', { headers: { origin: 'https://evil.example' } });
  expect(other.headers).not.toHaveProperty('access-control-allow-origin');
  // A cache must not give the answer without an origin to a page.
  expect((await storage.ask(host, '/a.txt')).headers['vary']).toContain('Origin');
});

it('allows every origin with *, which answers with * and never with the origin', async () => {
  const { id, label } = await storage.bucket({ visibility: 'public', cors: [{ origins: ['*'], methods: ['GET'] }] });
  expectStatus(200, await storage.put(id, 'a.txt', 'hello'));
  const read = await storage.ask(`${label}.${DOMAIN}`, '/a.txt', { headers: { origin: 'https://any.example' } });
  expect(read.headers['access-control-allow-origin']).toBe('*');
});

it('holds for refusals of S3 too, so that a page can read them', async () => {
  const { label } = await storage.bucket({ cors: rules });
  const refused = await storage.ask(`${label}.${DOMAIN}`, '/a.txt', { method: 'PUT', headers: { origin: SHOP } });
  expect(refused.status).toBe(403);
  expect(refused.headers['access-control-allow-origin']).toBe(SHOP);
  expect(refused.text).toContain('<Code>AccessDenied</Code>');
});

it('always allows the pages of the service, which upload with signed links', async () => {
  const { label } = await storage.bucket();
  const origin = new URL(app.config.dashboardUrl).origin;
  const answer = await storage.ask(DOMAIN, `/${label}/a`, {
    method: 'OPTIONS',
    headers: preflight(origin, 'PUT', 'content-type'),
  });
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin });
});

it('follows a change of the rules', async () => {
  const { id, label } = await storage.bucket({ visibility: 'public', cors: rules });
  const statusNow = async (): Promise<number> =>
    (await storage.ask(`${label}.${DOMAIN}`, '/a', { method: 'OPTIONS', headers: preflight(SHOP, 'GET') })).status;
  expect(await statusNow()).toBe(204);
  expectStatus(200, await storage.patch(id, { cors: [] }));
  await eventually(async () => (await statusNow()) === 403, 'the rule is gone');
  expectStatus(200, await app.fetch(`${BUCKETS}/${id}`, as(storage.key)));
});
