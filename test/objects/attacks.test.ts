import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus } from '../support/make.js';
import { clientOf } from '../support/storage.js';
import { BUCKETS, Storing } from '../support/storing.js';
import { useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
const DOMAIN = 'storage.localhost';
let bucket: any;
let pair: { id: string; secret: string };

beforeAll(async () => {
  await storage.begin('pro');
  bucket = await storage.bucket();
  pair = await storage.accessKey();
});
afterEach(() => jest.restoreAllMocks());

const codeOf = (text: string): string | undefined => /<Code>(\w+)<\/Code>/.exec(text)?.[1];
const sign = async (body: object): Promise<string> =>
  expectStatus(200, await app.post(`${BUCKETS}/${bucket.id as string}/sign`, body, as(storage.key))).body.data
    .url as string;

it.each([
  '..',
  '../x',
  'a/../../b',
  '/a',
  '//',
  'a//b',
  '.',
  'ä',
  'a\u0308',
  'k'.repeat(1_024),
  '%2e%2e',
  'a\\b',
  '\u202e',
])('keeps the key %j as it is, and apart from all others', async (key) => {
  const client = clientOf(app, pair);
  const at = { Bucket: bucket.label as string, Key: key };
  await client.send(new PutObjectCommand({ ...at, Body: key }));
  expect(await (await client.send(new GetObjectCommand(at))).Body!.transformToString()).toBe(key);
  const listed = await client.send(
    new ListObjectsV2Command({ Bucket: bucket.label as string, Prefix: key, MaxKeys: 1 }),
  );
  expect(listed.Contents?.[0]?.Key).toBe(key);
});

it('refuses keys with NUL and of more than 1,024 bytes', async () => {
  const put = (key: string): Promise<unknown> =>
    clientOf(app, pair).send(new PutObjectCommand({ Bucket: bucket.label, Key: key, Body: 'x' }));
  await expect(put('a\0b')).rejects.toMatchObject({ name: 'InvalidArgument' });
  await expect(put('k'.repeat(1_025))).rejects.toMatchObject({ name: 'KeyTooLongError' });
});

it('refuses to delete 1,001 objects at once', async () => {
  const objects = Array.from({ length: 1_001 }, (_, index) => ({ Key: `k${index}` }));
  const work = clientOf(app, pair).send(
    new DeleteObjectsCommand({ Bucket: bucket.label, Delete: { Objects: objects } }),
  );
  await expect(work).rejects.toMatchObject({ name: 'MalformedXML' });
});

it('bounds a list, whatever is asked for', async () => {
  const listed = await clientOf(app, pair).send(new ListObjectsV2Command({ Bucket: bucket.label, MaxKeys: 1_000_000 }));
  expect(listed.MaxKeys).toBeLessThanOrEqual(1_000);
});

it('refuses a link after its time, with another host, and with an unsigned header', async () => {
  expectStatus(200, await storage.put(bucket.id as string, 'a', 'hello'));
  const url = await sign({ method: 'GET', key: 'a', expires_in: 60 });
  const path = url.slice(url.indexOf('/', 'https://'.length));
  expect(codeOf((await storage.ask(`${bucket.label as string}.${DOMAIN}`, path)).text)).toBeDefined();
  const grown = await storage.follow(url, { headers: { 'x-amz-copy-source': 'x/y' } });
  expect(grown.status).toBeGreaterThanOrEqual(400);
  jest.spyOn(app.get(Clock), 'now').mockReturnValue(new Date(Date.now() + 120_000));
  expect((await storage.follow(url)).status).toBe(403);
});

it('refuses links of the earlier version of signatures, also to public objects', async () => {
  const open = await storage.bucket({ visibility: 'public' });
  for (const { id } of [bucket, open]) expectStatus(200, await storage.put(id as string, 'a', 'hello'));
  const query = `AWSAccessKeyId=${pair.id}&Signature=dmYvYQ%3D%3D&Expires=4102444800`;
  for (const { label } of [bucket, open]) {
    const answers = [
      await storage.ask(`${label as string}.${DOMAIN}`, `/a?${query}`),
      await storage.ask(DOMAIN, `/${label as string}/a?${query}`),
      await storage.ask(`${label as string}.${DOMAIN}`, '/a', {
        headers: { authorization: `AWS ${pair.id}:dmYvYQ==` },
      }),
    ];
    for (const { status, text } of answers) expect([status, codeOf(text)]).toEqual([400, 'InvalidRequest']);
  }
});

it('overrides no header for a request that is not signed, and none that the signature does not have', async () => {
  const open = await storage.bucket({ visibility: 'public' });
  expectStatus(200, await storage.put(open.id as string, 'a', '<script>1</script>'));
  const override = 'response-content-type=text/html&response-content-disposition=inline';
  const { status, headers } = await storage.ask(`${open.label as string}.${DOMAIN}`, `/a?${override}`);
  expect([status, headers['content-type'], headers['content-disposition']]).toEqual([200, 'text/plain', undefined]);
  expectStatus(200, await storage.put(bucket.id as string, 'a', 'hello'));
  const link = await sign({ method: 'GET', key: 'a' });
  expect(codeOf((await storage.follow(`${link}&${override}`)).text)).toBe('SignatureDoesNotMatch');
});

it('refuses a body whose size is not announced, before it is read', async () => {
  const unannounced = { method: 'PUT', headers: { 'transfer-encoding': 'chunked' }, body: 'hello' };
  const linked = await storage.follow(await sign({ method: 'PUT', key: 'sizeless' }), unannounced);
  expect([linked.status, codeOf(linked.text)]).toEqual([411, 'MissingContentLength']);
  const path = `${BUCKETS}/${bucket.id as string}/objects/sizeless`;
  const headers = { ...unannounced.headers, ...as(storage.key).headers };
  const byApi = await storage.ask(new URL(app.config.publicUrl).host, path, { ...unannounced, headers });
  expect([byApi.status, JSON.parse(byApi.text).error.code]).toEqual([411, 'length_required']);
  expectStatus(404, await storage.get(bucket.id as string, 'sizeless'));
});

it('does not serve a private object to a signature of another bucket or organization', async () => {
  expectStatus(200, await storage.put(bucket.id as string, 'secret', 'hello'));
  const outsider = await storage.make.person();
  const theirs = await storage.accessKey({}, await storage.make.key(outsider));
  for (const name of [bucket.label as string, bucket.name as string, 'never-was'])
    await expect(
      clientOf(app, theirs).send(new GetObjectCommand({ Bucket: name, Key: 'secret' })),
    ).rejects.toMatchObject({ name: 'NoSuchBucket' });
});

it('shows no document of a private bucket, on any host', async () => {
  const headers = { 'content-type': 'text/html' };
  expectStatus(200, await storage.put(bucket.id as string, 'page.html', '<script>1</script>', { headers }));
  const linked = await storage.follow(await sign({ method: 'GET', key: 'page.html' }));
  const ofApi = Object.fromEntries((await storage.get(bucket.id as string, 'page.html')).headers);
  for (const sent of [linked.headers, ofApi] as Record<string, unknown>[]) {
    expect(sent['content-disposition']).toMatch(/^attachment/);
    expect(sent['content-security-policy']).toMatch(/^sandbox/);
    expect(sent['x-content-type-options']).toBe('nosniff');
  }
});
