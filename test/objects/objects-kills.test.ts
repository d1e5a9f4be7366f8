import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { DoomedBlobsSweeper } from '../../src/modules/objects/jobs/doomed-blobs.sweeper.js';
import { StorageReservationsSweeper } from '../../src/modules/objects/jobs/storage-reservations.sweeper.js';
import { MultipartService } from '../../src/modules/objects/multipart/multipart.service.js';
import { ObjectNotFound } from '../../src/modules/objects/objects.errors.js';
import { STORAGE_RESERVATION_ID } from '../../src/modules/objects/objects.ids.js';
import { ObjectsService } from '../../src/modules/objects/objects/objects.service.js';
import type { ObjectUpload, UploadPart } from '../../src/modules/objects/persistence/bucket-rows.js';
import { DoomedBlobsStore } from '../../src/modules/objects/persistence/doomed-blobs.store.js';
import { ReservationsStore } from '../../src/modules/objects/persistence/reservations.store.js';
import { ObjectBlobs } from '../../src/modules/objects/writes/object-blobs.js';
import { ObjectWrites } from '../../src/modules/objects/writes/object-writes.js';
import { Ids } from '../../src/platform/ids/ids.js';
import { Clock } from '../../src/platform/time/clock.js';
import { Make, uniqueName } from '../support/make.js';
import { type WriterAct, type WriterDeath, writeApart } from '../support/object-writer.js';
import { bucketOf, requireSums } from '../support/storage.js';
import { useApp } from '../support/test-app.js';

/** Each test starts a process or two. */
jest.setTimeout(120_000);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OLD = 'old '.repeat(10_000);
const NEW = 'new '.repeat(20_000);

describe('a process that is killed while it changes objects', () => {
  const directory = mkdtempSync(join(tmpdir(), 'service-objects-'));
  // What the schedules do is called here, so that none of them helps the process that is killed.
  const app = useApp({ OBJECTS_URL: `file://${directory}`, SANDBOX_ENABLED: 'false' }, 'api');
  const make = new Make(app);
  let bucket: { readonly id: string; readonly orgId: string };

  beforeAll(async () => {
    const owner = await make.person({ plan: 'pro' });
    const { id } = await bucketOf(app, owner, 'kills');
    bucket = { id, orgId: owner.organization.id };
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  afterEach(() => jest.restoreAllMocks());
  afterEach(requireNothingLost);

  const kill = (act: WriterAct, death: WriterDeath | undefined, aheadMs = 0): Promise<boolean> =>
    writeApart({
      settings: {
        DATABASE_URL: app.config.databaseUrl!,
        REDIS_URL: app.config.redisUrl!,
        API_KEY_PEPPER: 'a-pepper-of-the-tests-long-enough-for-it',
        SECRETS_KEY: 'a-secrets-key-of-the-tests-long-enough-for-it',
        OBJECTS_URL: `file://${directory}`,
      },
      bucket,
      act,
      aheadMs,
      ...(death === undefined ? {} : { death }),
    });

  const bodyOf = (content: string) => ({
    size: Buffer.byteLength(content),
    bytes: (async function* () {
      yield await Promise.resolve(Buffer.from(content));
    })(),
  });
  const put = (key: string, content: string): Promise<unknown> =>
    app.get(ObjectsService).put(bucket, key, {
      facts: { contentType: 'text/plain', headers: {}, metadata: {} },
      body: bodyOf(content),
    });
  const read = async (key: string): Promise<string | undefined> => {
    try {
      const object = await app.get(ObjectsService).get(bucket, key);
      return await text(await app.get(ObjectsService).open(object));
    } catch (error) {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    }
  };
  const beginUpload = async (key: string): Promise<{ upload: ObjectUpload; part: UploadPart }> => {
    const facts = { contentType: 'text/plain', headers: {}, metadata: {} };
    const upload = await app
      .get(MultipartService)
      .begin(bucket, { ...facts, key, checksumAlgorithm: null, checksumType: null, sizeBytes: null });
    return { upload, part: await app.get(MultipartService).putPart(bucket, upload, 1, bodyOf(OLD)) };
  };
  const partsOf = async ({ id, key }: ObjectUpload): Promise<string[] | 'over'> => {
    const upload = await app
      .get(MultipartService)
      .get(bucket, key, id)
      .catch(() => undefined);
    if (upload === undefined) return 'over';
    const parts = await app.get(MultipartService).parts(upload, 0, 10);
    return Promise.all(parts.map(async ({ blob }) => text(await app.get(ObjectBlobs).get(blob!))));
  };

  const blobs = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of app.get(ObjectBlobs).list('blobs/')) keys.push(key);
    return keys.sort();
  };
  const named = async (): Promise<string[]> => {
    const rows = await make.sql<{ blob: string }>(
      `SELECT part ->> 0 AS blob FROM objects CROSS JOIN LATERAL jsonb_array_elements(parts) AS part
       UNION ALL SELECT blob FROM upload_parts WHERE blob IS NOT NULL`,
    );
    return rows.map(({ blob }) => blob).sort();
  };

  /** What weeks bring: leases end, doomed blobs go, and so do files that were never finished. */
  async function passWeeks(): Promise<void> {
    const { signal } = new AbortController();
    const clock = jest.spyOn(app.get(Clock), 'now');
    // The clock of a sweep was ahead as well, so that what it has doomed goes later.
    for (const aheadMs of [15 * DAY_MS, 30 * DAY_MS]) {
      clock.mockImplementation(() => new Date(Date.now() + aheadMs));
      await new StorageReservationsSweeper(app.get(ReservationsStore), app.get(ObjectWrites)).run(signal);
      await new DoomedBlobsSweeper(app.get(DoomedBlobsStore), app.get(ObjectBlobs), app.get(Clock)).run(signal);
    }
    clock.mockRestore();
  }

  /** No row without its bytes at any time, no byte counted that is not there, and in the end no blob without a row. */
  async function requireNothingLost(): Promise<void> {
    await requireSums(app);
    const before = new Set(await blobs());
    expect((await named()).filter((blob) => !before.has(blob))).toEqual([]);
    await passWeeks();
    await requireSums(app);
    expect(await blobs()).toEqual(await named());
    expect(readdirSync(join(directory, 'unfinished'))).toEqual([]);
    expect(await make.sql('SELECT reserved::int FROM storage_accounts WHERE org_id = $1', [bucket.orgId])).toEqual([
      { reserved: 0 },
    ]);
  }

  const RESERVED = { statement: 'INSERT INTO storage_reservations', when: 'after' } as const;
  const HALF = { at: 'half of the body' } as const;
  const STORING = { statement: 'stored AS', when: 'before' } as const;
  const STORED = { statement: 'stored AS', when: 'after' } as const;

  it.each([
    ['with its storage reserved', RESERVED, OLD],
    ['with half of the bytes written', HALF, OLD],
    ['with all bytes and no row', STORING, OLD],
    ['with the row, and before its answer', STORED, NEW],
  ])('leaves the old object or the new one, %s', async (_name, death, expected) => {
    const key = uniqueName('put');
    await put(key, OLD);
    expect(await kill({ do: 'put', key, content: NEW }, death)).toBe(true);
    expect(await read(key)).toBe(expected);
  });

  it.each([
    ['before its row', STORING, undefined],
    ['behind its row', STORED, NEW],
  ])('leaves no object or all of it, %s', async (_name, death, expected) => {
    const key = uniqueName('new');
    expect(await kill({ do: 'put', key, content: NEW }, death)).toBe(true);
    expect(await read(key)).toBe(expected);
  });

  it.each([
    ['with half of the bytes written', HALF, OLD],
    ['with all bytes and no row', STORING, OLD],
    ['with the row, and before its answer', STORED, NEW],
  ])('leaves the old part or the new one, %s', async (_name, death, expected) => {
    const { upload } = await beginUpload(uniqueName('part'));
    const { id: uploadId, key } = upload;
    expect(await kill({ do: 'part', uploadId, key, content: NEW }, death)).toBe(true);
    expect(await partsOf(upload)).toEqual([expected]);
  });

  const UNCOMMITTED = { statement: 'COMMIT', when: 'before' } as const;
  const COMMITTED = { statement: 'COMMIT', when: 'after' } as const;

  it.each([
    ['in the middle', { statement: 'DELETE FROM upload_parts', when: 'after' } as const, false],
    ['before its commit', UNCOMMITTED, false],
    ['behind its commit', COMMITTED, true],
  ])(
    'completes an upload or leaves it as it is, %s, and completes it when asked again',
    async (_name, death, isDone) => {
      const key = uniqueName('whole');
      await put(key, NEW);
      const { upload, part } = await beginUpload(key);
      const act = { do: 'complete', uploadId: upload.id, key, etag: part.etag } as const;
      expect(await kill(act, death)).toBe(true);
      expect(await read(key)).toBe(isDone ? OLD : NEW);
      expect(await partsOf(upload)).toEqual(isDone ? 'over' : [OLD]);
      expect(await kill(act, undefined)).toBe(false);
      expect(await read(key)).toBe(OLD);
    },
  );

  it.each([
    ['before its commit', UNCOMMITTED, [OLD]],
    ['behind its commit', COMMITTED, 'over'],
  ])('aborts an upload or leaves it as it is, %s', async (_name, death, expected) => {
    const { upload } = await beginUpload(uniqueName('aborted'));
    expect(await kill({ do: 'abort', uploadId: upload.id }, death)).toBe(true);
    expect(await partsOf(upload)).toEqual(expected);
  });

  it.each([
    ['before', OLD],
    ['after', undefined],
  ] as const)('deletes an object and dooms its bytes in one, %s that', async (when, expected) => {
    const key = uniqueName('deleted');
    await put(key, OLD);
    expect(await kill({ do: 'delete', key }, { statement: 'gone AS', when })).toBe(true);
    expect(await read(key)).toBe(expected);
  });

  /** A sweep is killed, and then runs whole. */
  const sweep = async (
    what: Extract<WriterAct, { do: 'sweep' }>['what'],
    death: WriterDeath,
    aheadMs: number,
  ): Promise<void> => {
    expect(await kill({ do: 'sweep', what }, death, aheadMs)).toBe(true);
    await requireSums(app);
    expect(await kill({ do: 'sweep', what }, undefined, aheadMs)).toBe(false);
  };

  it.each(['before', 'after'] as const)('returns what dead writers have reserved once, killed %s it', async (when) => {
    const [id, blob] = [app.get(Ids).next(STORAGE_RESERVATION_ID), `blobs/00/${uniqueName('left')}`];
    const lease = new Date(Date.now() + HOUR_MS);
    const reservation = { id, ...{ orgId: bucket.orgId, bucketId: bucket.id }, bytes: 3, blob };
    expect(await app.get(ReservationsStore).reserve(reservation, lease, 1e12)).toBe(true);
    await app.get(ObjectBlobs).put(blob, { bytes: 3, open: () => Readable.from([Buffer.from('abc')]) });
    await sweep('reservations', { statement: 'DELETE FROM storage_reservations', when }, 2 * HOUR_MS);
    expect(await app.get(ReservationsStore).count()).toBe(0);
  });

  it.each([
    ['before any blob is deleted', { statement: 'SELECT blob FROM doomed_blobs', when: 'after' }],
    ['between two blobs', { at: 'first blob deleted' }],
    ['before the rows go', { statement: 'DELETE FROM doomed_blobs', when: 'before' }],
  ] as const)('deletes doomed blobs in the end, killed %s', async (_name, death) => {
    const keys = [uniqueName('doomed'), uniqueName('doomed')];
    for (const key of keys) {
      await put(key, OLD);
      await put(key, NEW);
    }
    await sweep('doomed', death, 2 * HOUR_MS);
    expect(await app.get(DoomedBlobsStore).count()).toBe(0);
    for (const key of keys) expect(await read(key)).toBe(NEW);
  });

  it.each([
    ['before the first is given up', UNCOMMITTED],
    ['between two', COMMITTED],
  ])('gives up expired uploads in the end, killed %s', async (_name, death) => {
    const uploads = [await beginUpload(uniqueName('expired')), await beginUpload(uniqueName('expired'))];
    await sweep('uploads', death, 8 * DAY_MS);
    for (const { upload } of uploads) expect(await partsOf(upload)).toBe('over');
  });

  it.each(['before', 'after'] as const)('deletes expired objects in the end, killed %s a batch', async (when) => {
    const key = uniqueName('expired');
    await put(key, OLD);
    await make.sql('UPDATE buckets SET expire_after_days = 10 WHERE id = $1', [bucket.id]);
    await sweep('objects', { statement: 'gone AS', when }, 11 * DAY_MS);
    await make.sql('UPDATE buckets SET expire_after_days = NULL WHERE id = $1', [bucket.id]);
    expect(await read(key)).toBeUndefined();
  });

  it.each(['before', 'after'] as const)('dooms blobs without a row in the end, killed %s it', async (when) => {
    const [key, blob] = [uniqueName('kept'), `blobs/01/${uniqueName('stray')}`];
    await put(key, OLD);
    await app.get(ObjectBlobs).put(blob, { bytes: 3, open: () => Readable.from([Buffer.from('abc')]) });
    const longAgo = new Date(Date.now() - 2 * DAY_MS);
    utimesSync(join(directory, blob), longAgo, longAgo);
    await sweep('scrub', { statement: 'INSERT INTO doomed_blobs', when }, 0);
    expect(await app.get(DoomedBlobsStore).count()).toBe(1);
    expect(await read(key)).toBe(OLD);
  });
});
