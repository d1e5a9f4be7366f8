import { as, expectStatus } from '../support/make.js';
import { BUCKETS, Storing } from '../support/storing.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
const DOMAIN = 'storage.localhost';

beforeAll(() => storage.begin());

const hostOf = (bucket: { label: string }): string => `${bucket.label}.${DOMAIN}`;

/** A public bucket with an object. */
async function published(body: string, { path = 'a.txt', type = 'text/plain' } = {}): Promise<any> {
  const bucket = await storage.bucket({ visibility: 'public' });
  expectStatus(200, await storage.put(bucket.id, path, body, { headers: { 'content-type': type } }));
  return bucket;
}

describe('a public bucket', () => {
  it('serves its objects on a host of its own, to everyone', async () => {
    const bucket = await published('hello', { path: 'dir/a.txt' });
    const answer = await storage.ask(hostOf(bucket), '/dir/a.txt');
    expect([answer.status, answer.text]).toEqual([200, 'hello']);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain',
      etag: '"5d41402abc4b2a76b9719d911017c592"',
      'content-length': '5',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'",
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    const listed = expectStatus(200, await app.fetch(`${BUCKETS}/${bucket.id}/objects`, as(storage.key))).body.data;
    expect(listed.objects[0].url).toMatch(new RegExp(`^http://${hostOf(bucket)}(:\\d+)?/dir/a\\.txt$`));
  });

  it('answers HEAD, ranges and conditions, also for objects that are not kept in memory', async () => {
    for (const size of [10, 300_000]) {
      const bucket = await published('0123456789'.repeat(size / 10));
      const host = hostOf(bucket);
      const head = await storage.ask(host, '/a.txt', { method: 'HEAD' });
      expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(size), '']);
      const part = await storage.ask(host, '/a.txt', { headers: { range: 'bytes=2-4' } });
      expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', `bytes 2-4/${size}`]);
      const behind = await storage.ask(host, '/a.txt', { headers: { range: `bytes=${size}-` } });
      expect([behind.status, behind.headers['content-range']]).toEqual([416, `bytes */${size}`]);
      const etag = head.headers['etag'] as string;
      const known = await storage.ask(host, '/a.txt', { headers: { 'if-none-match': etag } });
      expect([known.status, known.text, known.headers['etag']]).toEqual([304, '', etag]);
      expect((await storage.ask(host, '/a.txt', { headers: { 'if-match': '"x"' } })).status).toBe(412);
      expect((await storage.ask(host, '/a.txt')).body).toHaveLength(size);
    }
  });

  it('lists nothing, and takes nothing but reads', async () => {
    const host = hostOf(await published('hello'));
    for (const path of ['/', '/?list-type=2', '/?uploads', '//', '/dir/'])
      expect([path, (await storage.ask(host, path)).status]).toEqual([path, 404]);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await storage.ask(host, '/a.txt', { method })).status).toBeGreaterThanOrEqual(400);
    expect((await storage.ask(host, '/a.txt')).text).toBe('hello');
  });

  it('shows a change at once, although it is kept in memory', async () => {
    const bucket = await published('one');
    const host = hostOf(bucket);
    const shown = async (): Promise<string> => (await storage.ask(host, '/a.txt')).text;
    expect(await shown()).toBe('one');
    expectStatus(200, await storage.put(bucket.id, 'a.txt', 'two'));
    await eventually(async () => (await shown()) === 'two', 'the new object is served');
    expect((await storage.ask(host, '/b.txt')).status).toBe(404);
    expectStatus(200, await storage.put(bucket.id, 'b.txt', 'new'));
    await eventually(async () => (await storage.ask(host, '/b.txt')).text === 'new', 'an object that was missing');
    expectStatus(204, await app.call('DELETE', `${BUCKETS}/${bucket.id}/objects/a.txt`, as(storage.key)));
    await eventually(async () => (await storage.ask(host, '/a.txt')).status === 404, 'the object is gone');
    expectStatus(200, await storage.patch(bucket.id, { visibility: 'private' }));
    await eventually(async () => (await storage.ask(host, '/b.txt')).status === 404, 'the bucket is private');
    expectStatus(200, await storage.patch(bucket.id, { visibility: 'public' }));
    await eventually(async () => (await storage.ask(host, '/b.txt')).text === 'new', 'the bucket is public again');
  });
});

describe('what tenants store', () => {
  it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'text/javascript', 'no type', 'x/y'])(
    'has no power over another origin: %s',
    async (type) => {
      const answer = await storage.ask(hostOf(await published('<script>alert(1)</script>', { type })), '/a.txt');
      expect(answer.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none';/);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    },
  );

  it.each(['image/png', 'video/mp4', 'audio/mpeg', 'font/woff2', 'application/pdf'])(
    'is shown as it is: %s',
    async (type) => {
      const { headers } = await storage.ask(hostOf(await published('bytes', { type })), '/a.txt');
      expect(headers).not.toHaveProperty('content-security-policy');
      expect(headers['x-content-type-options']).toBe('nosniff');
    },
  );
});

describe('hosts', () => {
  it('answer alike for a private bucket, a missing object and a bucket that never was (law 8)', async () => {
    const { label, id } = await storage.bucket();
    expectStatus(200, await storage.put(id, 'a.txt', 'secret'));
    const open = await published('hello');
    const answers = [
      await storage.ask(`${label}.${DOMAIN}`, '/a.txt'),
      await storage.ask(`never-was-k3v9x2ma.${DOMAIN}`, '/a.txt'),
      await storage.ask(hostOf(open), '/missing'),
    ];
    const seen = answers.map(({ status, text, headers }) => {
      const rest = Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id');
      return { status, text, headers: Object.fromEntries(rest) };
    });
    expect(seen[0]).toMatchObject({ status: 404, text: '404 Not Found\n' });
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });

  it('of object storage are refused by the API, and the API is not served there', async () => {
    const host = hostOf(await published('hello'));
    const raw = await app.raw(`GET /api/v1/me HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 421 /);
    expect((await storage.ask(host, '/api/v1/me')).status).toBe(404);
  });

  it('are not taken for each other', async () => {
    const one = await published('one');
    const other = await published('other');
    for (const host of [`${hostOf(one)}.${hostOf(other)}`, `x.${hostOf(one)}`])
      expect((await storage.ask(host, '/a.txt')).status).toBe(404);
    expect((await storage.ask(`${hostOf(one).toUpperCase()}:80`, '/a.txt')).text).toBe('one');
    expect((await storage.ask(`${hostOf(one)}.`, '/a.txt')).text).toBe('one');
  });
});

it.each(['/%', '/%zz', '/%ff', '/a%00b', `/${'x'.repeat(1_100)}`, `/${'%41'.repeat(1_100)}`])(
  'answers a strange path and goes on: %s',
  async (path) => {
    const host = hostOf(await published('hello'));
    expect([400, 404, 414]).toContain((await storage.ask(host, path)).status);
    expect((await storage.ask(host, '/a.txt')).text).toBe('hello');
  },
);
