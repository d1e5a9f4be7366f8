import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Bucket } from '../../src/modules/objects/persistence/bucket-rows.js';
import { ObjectsStore } from '../../src/modules/objects/persistence/objects.store.js';
import { ReservationsStore } from '../../src/modules/objects/persistence/reservations.store.js';
import { BlobScrubSweeper } from '../../src/modules/objects/jobs/blob-scrub.sweeper.js';
import { ObjectWrites } from '../../src/modules/objects/writes/object-writes.js';
import { ObjectBlobs } from '../../src/modules/objects/writes/object-blobs.js';
import { ObjectsService } from '../../src/modules/objects/objects/objects.service.js';
import { Database } from '../../src/platform/database/database.js';
import { Ids } from '../../src/platform/ids/ids.js';
import { STORAGE_RESERVATION_ID } from '../../src/modules/objects/objects.ids.js';
import { Make, type Person } from '../support/make.js';
import { bucketOf, clientOf, keyPair, requireSums } from '../support/storage.js';
import { eventually, type TestApp, useApp } from '../support/test-app.js';

describe('the laws of object storage', () => {
  // Processes share the blobs.
  const directory = mkdtempSync(join(tmpdir(), 'service-objects-'));
  const app = useApp({ OBJECTS_URL: `file://${directory}` });
  const make = new Make(app);
  let other: TestApp;
  let owner: Person;
  let bucket: Bucket;
  let clients: readonly S3Client[];

  beforeAll(async () => {
    other = await app.another({ role: 'api' });
    owner = await make.person({ plan: 'pro' });
    bucket = await bucketOf(app, owner, 'laws');
    const pair = await keyPair(app, owner);
    clients = [clientOf(app, pair), clientOf(other, pair)];
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await other.stop();
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** Returns how many statements wait for a lock. A running transaction would see the same number each time. */
  async function waitingForLocks(): Promise<number> {
    const [row] = await other.get(Database).manager.query<[{ n: number }]>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row.n;
  }

  it('reserves no more than the quota, however many writers race in several processes', async () => {
    const reserve = (index: number): Promise<boolean> => {
      const { orgId, id: bucketId } = bucket;
      const id = app.get(Ids).next(STORAGE_RESERVATION_ID);
      const reservation = { id, orgId, bucketId, bytes: 7, blob: `blobs/00/race-${index}` };
      const lease = new Date(Date.now() + 60_000);
      return (index % 2 === 0 ? app : other).get(ReservationsStore).reserve(reservation, lease, 500);
    };
    const won = (await Promise.all(Array.from({ length: 200 }, (_, index) => reserve(index)))).filter(Boolean);
    expect(won).toHaveLength(71);
    await requireSums(app);
    await app.get(Database).manager.query('UPDATE storage_reservations SET lease_until = now() - interval $$1 hour$$');
    await app.runSchedule('storage-reservations');
    expect(await app.get(ReservationsStore).count()).toBe(0);
    await requireSums(app);
  });

  it('keeps sums and whole objects while writers race for the same keys', async () => {
    const bodies = Array.from({ length: 60 }, (_, index) => Buffer.alloc(1_000 + index, index));
    await Promise.all(
      bodies.map(async (Body, index) => {
        const Key = `race/${index % 5}`;
        await clients[index % 2]!.send(new PutObjectCommand({ Bucket: 'laws', Key, Body }));
        if (index % 7 === 0) await app.get(ObjectsService).delete(bucket, [Key]);
      }),
    );
    await requireSums(app);
    const { Contents = [] } = await clients[0]!.send(new ListObjectsV2Command({ Bucket: 'laws' }));
    for (const { Key, ETag } of Contents) {
      const { Body } = await clients[1]!.send(new GetObjectCommand({ Bucket: 'laws', Key }));
      expect(
        `"${createHash('md5')
          .update(await Body!.transformToByteArray())
          .digest('hex')}"`,
      ).toBe(ETag);
    }
  });

  it('leaves the old object, and no bytes, when a body breaks off', async () => {
    const put = (body: AsyncIterable<Buffer>, size: number): Promise<unknown> =>
      app.get(ObjectsService).put(bucket, 'broken', {
        facts: { contentType: 'text/plain', headers: {}, metadata: {} },
        body: { size, bytes: body },
      });
    const pieces = async function* (...texts: string[]): AsyncGenerator<Buffer> {
      for (const text of texts) yield await Promise.resolve(Buffer.from(text));
    };
    await put(pieces('old'), 3);
    await expect(put(pieces('ne'), 3)).rejects.toThrow('not as long as announced');
    await expect(put(pieces('new', '!'), 3)).rejects.toThrow('not as long as announced');
    const object = await app.get(ObjectsService).get(bucket, 'broken');
    expect(object.size).toBe(3);
    await requireSums(app);
  });

  it('keeps the bytes of each part that completes an upload, also of one that is replaced meanwhile', async () => {
    const [one, two] = clients as [S3Client, S3Client];
    const named = { Bucket: 'laws', Key: 'replaced part' };
    const { UploadId } = await one.send(new CreateMultipartUploadCommand(named));
    const part = { ...named, UploadId, PartNumber: 1 };
    const { ETag } = await one.send(new UploadPartCommand({ ...part, Body: 'first' }));
    let replacing: Promise<string> | undefined;
    const store = app.get(ObjectsStore);
    const lock = store.lock.bind(store);
    // The completion has read its parts by now, and another process replaces one before it deletes them.
    jest.spyOn(store, 'lock').mockImplementationOnce(async (...at) => {
      let isDone = false;
      replacing = two
        .send(new UploadPartCommand({ ...part, Body: 'other' }))
        .then(
          () => 'stored',
          (error: unknown) => (error as Error).name,
        )
        .finally(() => {
          isDone = true;
        });
      await eventually(async () => isDone || (await waitingForLocks()) > 0, 'the part is stored, or waits');
      return lock(...at);
    });
    const parts = { MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
    await one.send(new CompleteMultipartUploadCommand({ ...named, UploadId, ...parts }));
    expect(await replacing).toBe('NoSuchUpload');
    await requireSums(app);
    await app.get(Database).manager.query('UPDATE doomed_blobs SET due_at = now() - interval $$1 second$$');
    await app.runSchedule('doomed-blobs');
    const { Body } = await two.send(new GetObjectCommand(named));
    expect(await Body!.transformToString()).toBe('first');
  });

  it('has every blob named by a row or doomed, and deletes what is doomed after an hour', async () => {
    await clients[0]!.send(new PutObjectCommand({ Bucket: 'laws', Key: 'again', Body: randomBytes(100) }));
    await clients[0]!.send(new PutObjectCommand({ Bucket: 'laws', Key: 'again', Body: randomBytes(100) }));
    const named = async (): Promise<Set<string>> => {
      const rows = await app.get(Database).manager.query<{ blob: string }[]>(
        `SELECT part ->> 0 AS blob FROM objects CROSS JOIN LATERAL jsonb_array_elements(parts) AS part
         UNION ALL SELECT blob FROM doomed_blobs`,
      );
      return new Set(rows.map(({ blob }) => blob));
    };
    const blobs = async (): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of app.get(ObjectBlobs).list('blobs/')) keys.push(key);
      return keys;
    };
    const known = await named();
    expect((await blobs()).filter((blob) => !known.has(blob))).toEqual([]);
    await app.get(Database).manager.query('UPDATE doomed_blobs SET due_at = now() - interval $$1 second$$');
    await app.runSchedule('doomed-blobs');
    const left = await named();
    expect(new Set(await blobs())).toEqual(left);
    expect(app.get(ObjectWrites).times.dueAt.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
  });

  it('finds bytes that are missing', async () => {
    await clients[0]!.send(new PutObjectCommand({ Bucket: 'laws', Key: 'lost', Body: 'bytes' }));
    const { parts } = await app.get(ObjectsService).get(bucket, 'lost');
    await app.get(ObjectBlobs).delete(parts[0]![0]);
    await app.get(BlobScrubSweeper).scrubSlice({ slice: 0, of: 1 }, new AbortController().signal);
    expect(app.log().filter(({ fault }) => fault === 'missing')).toHaveLength(1);
    await app.get(ObjectsService).delete(bucket, ['lost']);
  });

  it('finds bytes that have changed', async () => {
    await clients[0]!.send(new PutObjectCommand({ Bucket: 'laws', Key: 'changed', Body: 'bytes' }));
    const { parts } = await app.get(ObjectsService).get(bucket, 'changed');
    await app.get(ObjectBlobs).put(parts[0]![0], { bytes: 5, open: () => Readable.from([Buffer.from('other')]) });
    await app.get(BlobScrubSweeper).scrubSlice({ slice: 0, of: 1 }, new AbortController().signal);
    expect(app.log().filter(({ fault }) => fault === 'changed')).toHaveLength(1);
    await app.get(ObjectsService).delete(bucket, ['changed']);
  });
});
