import { once } from 'node:events';
import { connect } from 'node:net';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { BlobScrubSweeper } from '../../src/modules/objects/jobs/blob-scrub.sweeper.js';
import { ObjectBlobs } from '../../src/modules/objects/writes/object-blobs.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, type Person } from '../support/make.js';
import { S3Peer } from '../support/s3-peer.js';
import { clientOf, keyPair, requireSums } from '../support/storage.js';
import { BUCKETS, Storing } from '../support/storing.js';
import { eventually, TestApp } from '../support/test-app.js';

const MIB = 1_048_576;
const BUSY = { kind: 'answer', status: 500, code: 'InternalError' } as const;

let peer: S3Peer;
let app: TestApp;
let storage: Storing;
let client: S3Client;

beforeAll(async () => {
  peer = await S3Peer.start();
  app = new TestApp(peer.settingsOf('OBJECTS_URL'), 'without_databases');
  await app.start();
  storage = new Storing(app);
  await storage.begin();
  client = clientOf(app, await keyPair(app, storage.owner satisfies Person));
});
afterAll(async () => {
  client.destroy();
  await app.stop();
  await peer.stop();
});
afterEach(async () => {
  peer.mend();
  jest.restoreAllMocks();
  await requireSums(app);
  expect(await storage.make.sql('SELECT FROM storage_reservations')).toEqual([]);
});

async function blobs(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of app.get(ObjectBlobs).list('blobs/')) keys.push(key);
  return keys.sort();
}

async function named(): Promise<string[]> {
  const rows = await storage.make.sql<{ blob: string }>(
    `SELECT part ->> 0 AS blob FROM objects CROSS JOIN LATERAL jsonb_array_elements(parts) AS part
     UNION ALL SELECT blob FROM upload_parts WHERE blob IS NOT NULL`,
  );
  return rows.map(({ blob }) => blob).sort();
}

async function read(Bucket: string, Key: string): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return Body!.transformToString();
}

/** Two hours later, what was replaced goes. */
async function passHours(): Promise<void> {
  jest.spyOn(app.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + 2 * 3_600_000));
  await app.runSchedule('doomed-blobs');
  jest.restoreAllMocks();
}

it('keeps the bytes of objects in a bucket of S3, and serves whole, partial and public ones from there', async () => {
  const bucket = await storage.bucket({ visibility: 'public' });
  const body = '0123456789'.repeat(100_000);
  expectStatus(200, await storage.put(bucket.id as string, 'a', body));
  expect((await storage.get(bucket.id as string, 'a')).text).toBe(body);
  const part = await storage.get(bucket.id as string, 'a', { headers: { range: 'bytes=999998-' } });
  expect([part.status, part.text]).toEqual([206, '89']);
  expect((await storage.ask(`${bucket.label as string}.storage.localhost`, '/a')).text).toBe(body);
  expectStatus(200, await storage.put(bucket.id as string, 'a', 'new'));
  expect((await storage.get(bucket.id as string, 'a')).text).toBe('new');
  expectStatus(204, await app.call('DELETE', `${BUCKETS}/${bucket.id as string}/objects/a`, as(storage.key)));
  expectStatus(404, await storage.get(bucket.id as string, 'a'));
});

it('copies, joins parts, and deletes, and leaves no blob behind that nothing names', async () => {
  const { name } = await storage.bucket();
  const Bucket = name as string;
  const large = Buffer.alloc(9 * MIB, 'large ').toString();
  await client.send(new PutObjectCommand({ Bucket, Key: 'source', Body: large }));
  await client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/source` }));
  expect(await read(Bucket, 'copy')).toBe(large);

  const begin = async (Key: string): Promise<{ Bucket: string; Key: string; UploadId: string }> => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    return { Bucket, Key, UploadId: UploadId! };
  };
  const upload = await begin('joined');
  const CopySourceRange = `bytes=0-${5 * MIB - 1}`;
  const copied = await client.send(
    new UploadPartCopyCommand({ ...upload, PartNumber: 1, CopySource: `${Bucket}/source`, CopySourceRange }),
  );
  const sent = await client.send(new UploadPartCommand({ ...upload, PartNumber: 2, Body: 'the end' }));
  const Parts = [
    { PartNumber: 1, ETag: copied.CopyPartResult!.ETag! },
    { PartNumber: 2, ETag: sent.ETag! },
  ];
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  expect(await read(Bucket, 'joined')).toBe(`${large.slice(0, 5 * MIB)}the end`);

  const aborted = await begin('aborted');
  await client.send(new UploadPartCommand({ ...aborted, PartNumber: 1, Body: 'never' }));
  await client.send(new AbortMultipartUploadCommand(aborted));
  for (const Key of ['source', 'copy']) await client.send(new DeleteObjectCommand({ Bucket, Key }));
  await passHours();
  expect(await blobs()).toEqual(await named());
  expect(await read(Bucket, 'joined')).toBe(`${large.slice(0, 5 * MIB)}the end`);
});

it.each([
  ['fails', BUSY],
  ['breaks connections', { kind: 'reset' }],
] as const)('returns 503 while the storage %s, keeps what is there, and goes on afterwards', async (_name, fault) => {
  const { id, name } = await storage.bucket();
  expectStatus(200, await storage.put(id as string, 'a', 'old'));
  peer.fail(fault);
  for (const body of ['new', 'new '.repeat(2.25 * MIB)]) {
    const refused = await storage.put(id as string, 'a', body);
    expect([refused.status, refused.body?.error.code]).toEqual([503, 'service_unavailable']);
    await expect(client.send(new PutObjectCommand({ Bucket: name, Key: 'a', Body: body }))).rejects.toMatchObject({
      name: 'ServiceUnavailable',
    });
  }
  expect((await storage.get(id as string, 'a')).body.error.code).toBe('service_unavailable');
  await expect(read(name as string, 'a')).rejects.toMatchObject({ name: 'ServiceUnavailable' });
  await expect(
    client.send(new CopyObjectCommand({ Bucket: name, Key: 'b', CopySource: `${name as string}/a` })),
  ).rejects.toMatchObject({ name: 'ServiceUnavailable' });
  // The bytes of what is deleted go later.
  expectStatus(204, await app.call('DELETE', `${BUCKETS}/${id as string}/objects/none`, as(storage.key)));
  peer.mend();
  expect((await storage.get(id as string, 'a')).text).toBe('old');
  expectStatus(200, await storage.put(id as string, 'a', 'new'));
  expect(await read(name as string, 'a')).toBe('new');
  await passHours();
  expect(await blobs()).toEqual(await named());
});

it('breaks an answer off whose bytes break off in the storage, and says so in the log', async () => {
  const { id, label } = await storage.bucket({ visibility: 'public' });
  const large = 'large '.repeat(MIB / 2);
  expectStatus(200, await storage.put(id as string, 'a', large));
  for (const ask of [
    () => storage.get(id as string, 'a'),
    () => storage.ask(`${label as string}.storage.localhost`, '/a'),
  ]) {
    const before = app.log().length;
    peer.fail({ kind: 'break-off' }, { times: 1, methods: ['GET'] });
    await expect(ask()).rejects.toThrow();
    await eventually(
      () =>
        app
          .log()
          .slice(before)
          .some(({ level }) => level === 'error' || level === 50),
      'the fault is in the log',
    );
  }
  expect((await storage.get(id as string, 'a')).text).toBe(large);
});

it('stores nothing of an upload whose caller leaves in its middle, and lives on', async () => {
  const { id } = await storage.bucket();
  expectStatus(200, await storage.put(id as string, 'a', 'old'));
  for (const sent of [9 * MIB, 12 * MIB - 1]) {
    const socket = connect(app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `PUT ${BUCKETS}/${String(id)}/objects/a HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${storage.key}\r\n` +
        `X-Forwarded-For: 198.18.0.7\r\nContent-Type: text/plain\r\nContent-Length: ${12 * MIB}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.write(Buffer.alloc(sent, 'n'), resolve));
    socket.destroy();
    await once(socket, 'close');
    await eventually(
      async () => (await storage.make.sql('SELECT FROM storage_reservations')).length === 0,
      'the reservation is given back',
    );
  }
  expect((await storage.get(id as string, 'a')).text).toBe('old');
  await passHours();
  expect(await blobs()).toEqual(await named());
});

it('refuses an upload whose checksum is wrong, and stores nothing of it', async () => {
  const { id, name } = await storage.bucket();
  for (const bytes of [1_000, 9 * MIB]) {
    const before = await blobs();
    const Body = Buffer.alloc(bytes, 'a');
    const ContentMD5 = Buffer.alloc(16).toString('base64');
    await expect(client.send(new PutObjectCommand({ Bucket: name, Key: 'a', Body, ContentMD5 }))).rejects.toMatchObject(
      { name: 'BadDigest' },
    );
    expect(await blobs()).toEqual(before);
  }
  expectStatus(404, await storage.get(id as string, 'a'));
});

it('finds out that a blob is missing, and that one is not whose server only fails', async () => {
  const { id } = await storage.bucket();
  const faults = (): unknown[] =>
    app
      .log()
      .filter(({ msg }) => msg === 'The bytes of an object are not what was stored.')
      .map(({ fault, blob }) => [fault, blob]);
  expectStatus(200, await storage.put(id as string, 'lost', 'bytes'));
  const [{ blob }] = (await storage.make.sql(
    "SELECT parts -> 0 ->> 0 AS blob FROM objects WHERE bucket_id = $1 AND key = 'lost'",
    [id],
  )) as [{ blob: string }];
  const scrub = (): Promise<void> =>
    app.get(BlobScrubSweeper).scrubSlice({ slice: 0, of: 1 }, new AbortController().signal);
  peer.fail(BUSY);
  await expect(scrub()).rejects.toThrow();
  peer.mend();
  await scrub();
  expect(faults()).toEqual([]);
  await app.get(ObjectBlobs).delete(blob);
  await scrub();
  expect(faults()).toEqual([['missing', blob]]);
  expectStatus(500, await storage.get(id as string, 'lost'));
});
