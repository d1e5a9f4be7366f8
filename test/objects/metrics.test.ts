import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ObjectBlobs } from '../../src/modules/objects/writes/object-blobs.js';
import { as, expectStatus } from '../support/make.js';
import { clientOf } from '../support/storage.js';
import { BUCKETS, Storing } from '../support/storing.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
/** More than is kept in memory. */
const LARGE = 'x'.repeat(300_000);
let bucket: { id: string; label: string };

beforeAll(async () => {
  await storage.begin();
  bucket = await storage.bucket({ visibility: 'public' });
});

type Counts = Readonly<Record<string, number>>;

/** The counts of requests for objects that are not 0, by surface, operation and result. */
async function counts(): Promise<Counts> {
  const { text } = await app.fetch('/metrics');
  const lines = text.matchAll(/^object_requests_total\{surface="(\w+)",operation="(\w+)",result="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, ...labels]) => [labels.slice(0, 3).join(' '), Number(labels[3])]));
}

/** What the work adds to the counts. */
async function countedBy(work: () => Promise<unknown>): Promise<Counts> {
  const before = await counts();
  await work();
  const changed = Object.entries(await counts()).filter(([name, count]) => count !== (before[name] ?? 0));
  return Object.fromEntries(changed.map(([name, count]) => [name, count - (before[name] ?? 0)]));
}

const host = (): string => `${bucket.label}.storage.localhost`;
const path = (rest: string): string => `${BUCKETS}/${bucket.id}${rest}`;
const ignored = (): undefined => undefined;

/** Stores a large object, and loses its bytes. */
async function lost(key: string): Promise<void> {
  expectStatus(200, await storage.put(bucket.id, key, LARGE));
  const [row] = await storage.make.sql('SELECT parts FROM objects WHERE bucket_id = $1 AND key = $2', [bucket.id, key]);
  for (const [blob] of row!['parts']) await app.get(ObjectBlobs).delete(blob as string);
}

it('counts requests of S3 clients, of public files and of the API', async () => {
  const client = clientOf(app, await storage.accessKey());
  const at = { Bucket: bucket.label, Key: 'a' };
  expect(
    await countedBy(async () => {
      await client.send(new PutObjectCommand({ ...at, Body: 'hello' }));
      await client.send(new GetObjectCommand(at));
      await client.send(new HeadObjectCommand({ ...at, Key: 'none' })).catch(ignored);
    }),
  ).toEqual({ 's3 PutObject ok': 1, 's3 GetObject ok': 1, 's3 HeadObject refused': 1 });
  client.destroy();

  expect(
    await countedBy(async () => {
      await storage.ask(host(), '/a');
      await storage.ask(host(), '/a', { method: 'HEAD' });
      await storage.ask(host(), '/a', { headers: { range: 'bytes=9-' } });
      await storage.ask(host(), '/none');
    }),
  ).toEqual({ 'public GetObject ok': 1, 'public HeadObject ok': 1, 'public GetObject refused': 2 });

  expect(
    await countedBy(async () => {
      expectStatus(200, await storage.put(bucket.id, 'b', 'hello'));
      expectStatus(412, await storage.put(bucket.id, 'b', 'hello', { headers: { 'if-none-match': '*' } }));
      expectStatus(200, await storage.get(bucket.id, 'b'));
      expectStatus(404, await storage.get(bucket.id, 'none'));
      expectStatus(200, await app.call('HEAD', path('/objects/b'), as(storage.key)));
      expectStatus(200, await app.fetch(path('/objects'), as(storage.key)));
      expectStatus(204, await app.call('DELETE', path('/objects/b'), as(storage.key)));
      const begun = expectStatus(201, await app.post(path('/uploads'), { key: 'c', size_bytes: 1 }, as(storage.key)));
      const upload = path(`/uploads/${begun.body.data.upload_id as string}`);
      expectStatus(200, await app.fetch(upload, as(storage.key)));
      expectStatus(200, await app.post(`${upload}/parts`, { numbers: [1] }, as(storage.key)));
      expectStatus(400, await app.post(`${upload}/complete`, {}, as(storage.key)));
      expectStatus(204, await app.call('DELETE', upload, as(storage.key)));
    }),
  ).toEqual({
    'api PutObject ok': 1,
    'api PutObject refused': 1,
    'api GetObject ok': 1,
    'api GetObject refused': 1,
    'api HeadObject ok': 1,
    'api ListObjectsV2 ok': 1,
    'api DeleteObject ok': 1,
    'api CreateMultipartUpload ok': 1,
    'api ListParts ok': 1,
    'api SignParts ok': 1,
    'api CompleteMultipartUpload refused': 1,
    'api AbortMultipartUpload ok': 1,
  });
});

it('counts bytes that cannot be read as errors, on every surface, and says so before anything was sent', async () => {
  const client = clientOf(app, await storage.accessKey());
  await lost('gone');
  const counted = await countedBy(async () => {
    await client.send(new GetObjectCommand({ Bucket: bucket.label, Key: 'gone' })).catch(ignored);
    expect((await storage.ask(host(), '/gone')).status).toBe(503);
    expectStatus(500, await storage.get(bucket.id, 'gone'));
  });
  expect(counted).toEqual({ 's3 GetObject error': 1, 'public GetObject error': 1, 'api GetObject error': 1 });
  client.destroy();
  expectStatus(204, await app.call('DELETE', path('/objects/gone'), as(storage.key)));
});

it('counts no error for a caller that leaves in the middle of an answer', async () => {
  // More than the buffers of a connection hold.
  expectStatus(200, await storage.put(bucket.id, 'film', 'x'.repeat(24_000_000)));
  const { url } = expectStatus(200, await app.post(path('/sign'), { method: 'GET', key: 'film' }, as(storage.key))).body
    .data;
  const { host: linked, pathname, search } = new URL(url as string);
  /** Reads the first bytes, and ends the connection. */
  const leave = async (options: { port: number; path: string; headers: Record<string, string> }): Promise<void> => {
    const request = httpGet({ host: '127.0.0.1', agent: false, ...options });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    response.on('error', ignored);
    request.destroy();
  };
  const before = await counts();
  await leave({ port: app.appsPort, path: '/film', headers: { host: host() } });
  await leave({ port: app.appsPort, path: pathname + search, headers: { host: linked } });
  await leave({
    port: app.port,
    path: path('/objects/film'),
    headers: as(storage.key).headers as Record<string, string>,
  });
  const done = async (surface: string): Promise<number> => {
    const after = Object.entries(await counts()).filter(([name]) => name.startsWith(`${surface} GetObject`));
    return after.reduce((sum, [name, count]) => sum + count - (before[name] ?? 0), 0);
  };
  for (const surface of ['public', 's3', 'api'])
    await eventually(async () => (await done(surface)) === 1, `the answer of ${surface} is over`);
  const errors = (all: Counts): Counts =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name.endsWith(' error')));
  expect(errors(await counts())).toEqual(errors(before));
});
