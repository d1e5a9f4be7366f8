import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, type Person } from '../support/make.js';
import { clientOf, requireSums } from '../support/storage.js';
import { ACCESS_KEYS, BUCKETS, Storing } from '../support/storing.js';
import { useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
let bucket: any;

beforeAll(async () => {
  await storage.begin();
  bucket = await storage.bucket();
});
afterEach(() => jest.restoreAllMocks());

const sign = async (body: object, key = storage.key): Promise<any> =>
  expectStatus(200, await app.post(`${BUCKETS}/${bucket.id}/sign`, body, as(key))).body.data;
const codeOf = (text: string): string | undefined => /<Code>(\w+)<\/Code>/.exec(text)?.[1];

describe('POST /storage/buckets/:bucket_id/sign', () => {
  it('makes links that need no key, for each method', async () => {
    const key = "dir/ä b'(1)*~!.txt";
    const put = await sign({ method: 'PUT', key, expires_in: 60 });
    expect(put).toMatchObject({ method: 'PUT', headers: {}, expires_at: expect.any(String) });
    expect((await storage.follow(put.url, { method: 'PUT', body: 'hello' })).status).toBe(200);
    const get = await sign({ method: 'GET', key });
    // The browser of the one who follows it keeps nothing.
    expect(await storage.follow(get.url)).toMatchObject({
      status: 200,
      text: 'hello',
      headers: { 'cache-control': 'private, no-store' },
    });
    const head = await sign({ method: 'HEAD', key });
    expect((await storage.follow(head.url, { method: 'HEAD' })).headers['content-length']).toBe('5');
    const gone = await sign({ method: 'DELETE', key });
    expect((await storage.follow(gone.url, { method: 'DELETE' })).status).toBe(204);
    const error = await storage.follow(get.url);
    expect(codeOf(error.text)).toBe('NoSuchKey');
    expect(error.headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  it('binds a link to its method, key, type and size', async () => {
    const link = await sign({ method: 'PUT', key: 'photo', content_type: 'image/png', max_bytes: 5 });
    const headers = { 'content-type': 'image/png' };
    expect(link.headers).toEqual(headers);
    const put = (body: string, more = headers, url = link.url as string): ReturnType<Storing['follow']> =>
      storage.follow(url, { method: 'PUT', body, headers: more });
    expect((await put('12345')).status).toBe(200);
    expect(codeOf((await put('123456')).text)).toBe('EntityTooLarge');
    expect(codeOf((await put('12345', { 'content-type': 'text/html' })).text)).toBe('SignatureDoesNotMatch');
    expect(codeOf((await put('1', headers, link.url.replace('max-bytes=5', 'max-bytes=9'))).text)).toBe(
      'SignatureDoesNotMatch',
    );
    expect(codeOf((await put('1', headers, link.url.replace('/photo', '/other'))).text)).toBe('SignatureDoesNotMatch');
    expect(codeOf((await storage.follow(link.url, { headers })).text)).toBe('SignatureDoesNotMatch');
    const without = link.url.replace(/&x-max-bytes=5/, '');
    expect(codeOf((await put('123456', headers, without)).text)).toBe('SignatureDoesNotMatch');
  });

  it('ends at its time, and not before', async () => {
    expectStatus(200, await storage.put(bucket.id, 'timed', 'hello'));
    const { url, expires_at } = await sign({ method: 'GET', key: 'timed', expires_in: 60 });
    const now = jest.spyOn(app.get(Clock), 'now');
    now.mockReturnValue(new Date(Date.parse(expires_at) - 1));
    expect((await storage.follow(url)).status).toBe(200);
    now.mockReturnValue(new Date(Date.parse(expires_at) + 1_000));
    const late = await storage.follow(url);
    expect([late.status, codeOf(late.text)]).toEqual([403, 'AccessDenied']);
  });

  it.each([
    { method: 'POST', key: 'a' },
    { method: 'GET', key: '' },
    { method: 'GET', key: 'x'.repeat(1_025) },
    { method: 'GET', key: 'a', expires_in: 604_801 },
    { method: 'GET', key: 'a', expires_in: 0 },
    { method: 'PUT', key: 'a', content_type: 'nonsense' },
    { method: 'PUT', key: 'a', max_bytes: -1 },
    {},
  ])('returns 400 for %j', async (body) => {
    expectStatus(400, await app.post(`${BUCKETS}/${bucket.id}/sign`, body, as(storage.key)));
  });

  it('lets a key that only reads sign only reads', async () => {
    const reader = await storage.make.key(storage.owner, { scopes: ['storage:read'] });
    await sign({ method: 'GET', key: 'a' }, reader);
    expectStatus(403, await app.post(`${BUCKETS}/${bucket.id}/sign`, { method: 'PUT', key: 'a' }, as(reader)));
    expectStatus(401, await app.post(`${BUCKETS}/${bucket.id}/sign`, { method: 'GET', key: 'a' }));
  });

  it('makes links that end with the key that made them, and hides what signs them', async () => {
    expectStatus(200, await storage.put(bucket.id, 'kept', 'hello'));
    const issued = expectStatus(201, await app.post('/api/v1/keys', { name: 'maker' }, as(storage.owner))).body.data;
    const { url } = await sign({ method: 'GET', key: 'kept' }, issued.secret as string);
    expect((await storage.follow(url)).status).toBe(200);
    const accessKeyId = new URL(url).searchParams.get('X-Amz-Credential')!.split('/')[0]!;
    const listed = expectStatus(200, await app.fetch(`${ACCESS_KEYS}?limit=100`, as(storage.key))).body.data;
    expect(listed.map(({ id }: any) => id)).not.toContain(accessKeyId);
    expectStatus(404, await app.call('DELETE', `${ACCESS_KEYS}/${accessKeyId}`, as(storage.key)));
    expectStatus(204, await app.call('DELETE', `/api/v1/keys/${issued.id as string}`, as(storage.owner)));
    expect((await storage.follow(url)).status).toBe(403);
  });

  it('makes one key for links, however many calls are the first', async () => {
    const maker = await storage.make.key(storage.owner);
    const links = await Promise.all(Array.from({ length: 5 }, () => sign({ method: 'GET', key: 'a' }, maker)));
    expect(new Set(links.map(({ url }) => new URL(url as string).searchParams.get('X-Amz-Credential'))).size).toBe(1);
  });
});

describe('uploads in parts for pages', () => {
  const at = (path = ''): string => `${BUCKETS}/${bucket.id as string}/uploads${path}`;
  const begin = async (body: object): Promise<any> =>
    expectStatus(201, await app.post(at(), body, as(storage.key))).body.data;

  it('sends parts with links, resumes, and completes', async () => {
    const size = 9 * 1_048_576;
    const {
      upload_id: id,
      part_bytes: partBytes,
      parts,
    } = await begin({ key: 'film', size_bytes: size, content_type: 'video/mp4' });
    expect([partBytes, parts]).toEqual([8_388_608, 2]);
    const content = Buffer.alloc(size, 'abcdefgh');
    const send = async (number: number): Promise<void> => {
      const [link] = expectStatus(200, await app.post(at(`/${id}/parts`), { numbers: [number] }, as(storage.key))).body
        .data;
      expect(link).toMatchObject({ number, method: 'PUT' });
      // A page of the web app may connect to its own origin only.
      expect(link.url).toMatch(/^http:\/\/api\.test\/s3\//);
      const body = content.subarray((number - 1) * partBytes, number * partBytes);
      const sent = await storage.follow(link.url, { method: 'PUT', body });
      expect([sent.status, sent.headers['etag']]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
    };
    await send(1);
    const progress = expectStatus(200, await app.fetch(at(`/${id}`), as(storage.key))).body.data;
    expect(progress).toMatchObject({
      upload_id: id,
      key: 'film',
      content_type: 'video/mp4',
      size_bytes: size,
      part_bytes: partBytes,
      parts: 2,
      uploaded: [1],
    });
    await send(2);
    const done = expectStatus(200, await app.post(at(`/${id}/complete`), {}, as(storage.key))).body.data;
    expect(done).toMatchObject({
      key: 'film',
      size_bytes: size,
      content_type: 'video/mp4',
      etag: expect.stringMatching(/-2$/),
    });
    const part = await storage.get(bucket.id, 'film', {
      headers: { range: `bytes=${partBytes - 2}-${partBytes + 1}` },
    });
    expect(part.text).toBe('ghab');
    expectStatus(404, await app.fetch(at(`/${id}`), as(storage.key)));
    // The answer may have been lost.
    const again = expectStatus(200, await app.post(at(`/${id}/complete`), {}, as(storage.key))).body.data;
    expect(again).toEqual(done);
    await storage.follow((await sign({ method: 'DELETE', key: 'film' })).url, { method: 'DELETE' });
    expectStatus(404, await app.post(at(`/${id}/complete`), {}, as(storage.key)));
  });

  it('completes only when every part is there and as large as announced', async () => {
    const size = 9 * 1_048_576;
    const { upload_id: id, part_bytes: partBytes } = await begin({ key: 'whole', size_bytes: size });
    const send = async (number: number, body: Buffer): Promise<void> => {
      const [link] = expectStatus(200, await app.post(at(`/${id}/parts`), { numbers: [number] }, as(storage.key))).body
        .data;
      expect((await storage.follow(link.url, { method: 'PUT', body })).status).toBe(200);
    };
    const refused = async (): Promise<unknown> => {
      const { body } = expectStatus(400, await app.post(at(`/${id}/complete`), {}, as(storage.key)));
      return [body.error.code, /\(part (\d+)\)/.exec(body.error.message as string)?.[1]];
    };
    await send(2, Buffer.alloc(size - partBytes, 2));
    expect(await refused()).toEqual(['invalid_part', '1']);
    await send(1, Buffer.alloc(partBytes - 1, 1));
    expect(await refused()).toEqual(['invalid_part', '1']);
    await send(1, Buffer.alloc(partBytes, 1));
    await send(2, Buffer.alloc(5, 2));
    expect(await refused()).toEqual(['invalid_part', '2']);
    await send(2, Buffer.alloc(size - partBytes, 2));
    // A part that nobody asked for is no part of the object.
    await send(3, Buffer.from('more'));
    const done = expectStatus(200, await app.post(at(`/${id}/complete`), {}, as(storage.key))).body.data;
    expect(done).toMatchObject({ key: 'whole', size_bytes: size });
    await requireSums(app);
  });

  it('continues no upload that a program for S3 has begun', async () => {
    const client = clientOf(app, await storage.accessKey());
    const named = { Bucket: bucket.label as string, Key: 'foreign' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(named));
    await client.send(new UploadPartCommand({ ...named, UploadId, PartNumber: 1, Body: 'x' }));
    client.destroy();
    for (const answer of [
      await app.fetch(at(`/${UploadId}`), as(storage.key)),
      await app.post(at(`/${UploadId}/complete`), {}, as(storage.key)),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'object_upload_not_found']);
  });

  it('counts the bytes that come in and go out, by every way in, and none of copies and refusals', async () => {
    const client = clientOf(app, await storage.accessKey());
    const Bucket = bucket.label as string;
    const moved = async (direction: 'in' | 'out', work: () => Promise<unknown>): Promise<number> => {
      const count = async (): Promise<number> => {
        const { text } = await app.fetch('/metrics');
        return Number(new RegExp(`^object_bytes_total\\{direction="${direction}"\\} (\\d+)$`, 'm').exec(text)![1]);
      };
      const before = await count();
      await work();
      return (await count()) - before;
    };
    const link = async (body: object): Promise<string> =>
      expectStatus(200, await app.post(`${BUCKETS}/${bucket.id as string}/sign`, body, as(storage.key))).body.data
        .url as string;
    expect(await moved('in', () => storage.put(bucket.id, 'counted', '12345'))).toBe(5);
    expect(
      await moved('in', () => client.send(new PutObjectCommand({ Bucket, Key: 'counted', Body: '1234567' }))),
    ).toBe(7);
    const url = await link({ method: 'PUT', key: 'counted' });
    expect(await moved('in', () => storage.follow(url, { method: 'PUT', body: '123' }))).toBe(3);
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'counted' }));
    const part = { Bucket, Key: 'counted', UploadId, PartNumber: 1 };
    expect(await moved('in', () => client.send(new UploadPartCommand({ ...part, Body: '12' })))).toBe(2);
    const copy = { Bucket, Key: 'copy', CopySource: `${Bucket}/counted` };
    expect(await moved('in', () => client.send(new CopyObjectCommand(copy)))).toBe(0);
    const wrong = { headers: { 'content-md5': Buffer.alloc(16).toString('base64') } };
    expect(await moved('in', () => storage.put(bucket.id, 'counted', 'refused', wrong))).toBe(0);

    expect(await moved('out', () => storage.get(bucket.id, 'counted'))).toBe(3);
    const get = new GetObjectCommand({ Bucket, Key: 'counted', Range: 'bytes=1-2' });
    expect(await moved('out', async () => (await client.send(get)).Body!.transformToByteArray())).toBe(2);
    client.destroy();
  });

  it('aborts, and refuses what is too large or has no part', async () => {
    const { upload_id: id } = await begin({ key: 'never', size_bytes: 1 });
    expectStatus(400, await app.post(at(`/${id}/complete`), {}, as(storage.key)));
    expectStatus(400, await app.post(at(`/${id}/parts`), { numbers: [0] }, as(storage.key)));
    expectStatus(400, await app.post(at(`/${id}/parts`), { numbers: [1, 1] }, as(storage.key)));
    expectStatus(204, await app.call('DELETE', at(`/${id}`), as(storage.key)));
    expectStatus(404, await app.call('DELETE', at(`/${id}`), as(storage.key)));
    const tooLarge = await app.post(at(), { key: 'huge', size_bytes: 51e9 }, as(storage.key));
    expect([tooLarge.status, tooLarge.body.error.code]).toEqual([413, 'object_too_large']);
    const reader = await storage.make.key(storage.owner, { scopes: ['storage:read'] });
    expectStatus(403, await app.post(at(), { key: 'a', size_bytes: 1 }, as(reader)));
    expectStatus(401, await app.post(at(), { key: 'a', size_bytes: 1 }));
  });
});

it('follows the permissions of a person who leaves', async () => {
  const org = await storage.make.org(storage.owner, { plan: 'builder' });
  const member: Person = await storage.make.person();
  await storage.make.member(org, member, 'member');
  const key = await storage.make.key(member);
  const headers = { ...as(key).headers, 'x-service-org': org.id };
  const made = expectStatus(201, await app.post(BUCKETS, { name: 'team-files' }, { headers })).body.data;
  const link = expectStatus(
    200,
    await app.post(`${BUCKETS}/${made.id as string}/sign`, { method: 'PUT', key: 'a' }, { headers }),
  ).body.data;
  expect((await storage.follow(link.url, { method: 'PUT', body: 'x' })).status).toBe(200);
  await storage.make.role(org, member, 'viewer');
  expect((await storage.follow(link.url, { method: 'PUT', body: 'x' })).status).toBe(403);
});
