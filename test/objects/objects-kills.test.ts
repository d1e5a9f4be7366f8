import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AccessKeysService } from '../../src/modules/objects/access-keys/access-keys.service.js';
import { DoomedBlobsSweeper } from '../../src/modules/objects/jobs/doomed-blobs.sweeper.js';
import { StorageReservationsSweeper } from '../../src/modules/objects/jobs/storage-reservations.sweeper.js';
import { MultipartService } from '../../src/modules/objects/multipart/multipart.service.js';
import { ObjectNotFound } from '../../src/modules/objects/objects.errors.js';
import { STORAGE_RESERVATION_ID } from '../../src/modules/objects/objects.ids.js';
import { type BucketOfObject, ObjectsService } from '../../src/modules/objects/objects/objects.service.js';
import type { ObjectUpload, UploadPart } from '../../src/modules/objects/persistence/bucket-rows.js';
import { DoomedBlobsStore } from '../../src/modules/objects/persistence/doomed-blobs.store.js';
import { ReservationsStore } from '../../src/modules/objects/persistence/reservations.store.js';
import { ObjectBlobs } from '../../src/modules/objects/writes/object-blobs.js';
import { ObjectWrites } from '../../src/modules/objects/writes/object-writes.js';
import { Ids } from '../../src/platform/ids/ids.js';
import { Clock } from '../../src/platform/time/clock.js';
import { Make, type Person, uniqueName } from '../support/make.js';
import { type WriterAct, type WriterDeath, writeApart } from '../support/object-writer.js';
import { sampled } from '../support/sampled.js';
import { bucketOf, callOf, keyPair, requireSums } from '../support/storage.js';
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
  const app = useApp({ OBJECTS_URL: `file://${directory}` }, 'api');
  const make = new Make(app);
  let bucket: BucketOfObject;

  beforeAll(async () => {
    const owner = await make.person({ plan: 'pro' });
    bucket = await newBucket(owner);
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  afterEach(() => jest.restoreAllMocks());
  afterEach(requireNothingLost);

  const newBucket = async (owner: Person): Promise<BucketOfObject> => {
    const { id } = await bucketOf(app, owner, uniqueName('kills'));
    return { id, orgId: owner.organization.id };
  };
  const kill = (act: WriterAct, death: WriterDeath | undefined, aheadMs = 0): Promise<boolean> =>
    writeApart({
      settings: {
        ...app.sharedSettings,
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
  const put = (key: string, content: string, into = bucket): Promise<unknown> =>
    app.get(ObjectsService).put(into, key, {
      facts: { contentType: 'text/plain', headers: {}, metadata: {} },
      body: bodyOf(content),
    });
  const read = async (key: string, from = bucket): Promise<string | undefined> => {
    try {
      const object = await app.get(ObjectsService).get(from, key);
      return await text(await app.get(ObjectsService).open(object));
    } catch (error) {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    }
  };
  const beginUpload = async (key: string, into = bucket): Promise<{ upload: ObjectUpload; part: UploadPart }> => {
    const facts = { contentType: 'text/plain', headers: {}, metadata: {} };
    const upload = await app
      .get(MultipartService)
      .begin(into, { ...facts, key, checksumAlgorithm: null, checksumType: null, sizeBytes: null });
    return { upload, part: await app.get(MultipartService).putPart(into, upload, 1, bodyOf(OLD)) };
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
    expect(await make.sql('SELECT FROM storage_accounts WHERE reserved <> 0')).toEqual([]);
  }

  const RESERVED = { statement: 'INSERT INTO storage_reservations', when: 'after' } as const;
  const HALF = { at: 'half of the body' } as const;
  const STORING = { statement: 'stored AS', when: 'before' } as const;
  const STORED = { statement: 'stored AS', when: 'after' } as const;

  it.each(
    sampled([
      ['with its storage reserved', RESERVED, OLD],
      ['with half of the bytes written', HALF, OLD],
      ['with all bytes and no row', STORING, OLD],
      ['with the row, and before its answer', STORED, NEW],
    ]),
  )('leaves the old object or the new one, %s', async (_name, death, expected) => {
    const key = uniqueName('put');
    await put(key, OLD);
    expect(await kill({ do: 'put', key, content: NEW }, death)).toBe(true);
    expect(await read(key)).toBe(expected);
  });

  it.each(
    sampled([
      ['before its row', STORING, undefined],
      ['behind its row', STORED, NEW],
    ]),
  )('leaves no object or all of it, %s', async (_name, death, expected) => {
    const key = uniqueName('new');
    expect(await kill({ do: 'put', key, content: NEW }, death)).toBe(true);
    expect(await read(key)).toBe(expected);
  });

  it.each(
    sampled([
      ['with half of the bytes written', HALF, OLD],
      ['with all bytes and no row', STORING, OLD],
      ['with the row, and before its answer', STORED, NEW],
    ]),
  )('leaves the old part or the new one, %s', async (_name, death, expected) => {
    const { upload } = await beginUpload(uniqueName('part'));
    const { id: uploadId, key } = upload;
    expect(await kill({ do: 'part', uploadId, key, content: NEW }, death)).toBe(true);
    expect(await partsOf(upload)).toEqual([expected]);
  });

  const COPY_DEATHS = [
    ['with its storage reserved', RESERVED, false],
    ['with half of the bytes written', HALF, false],
    ['with all bytes and no row', STORING, false],
    ['with the row, and before its answer', STORED, true],
  ] as const;

  it.each(sampled(COPY_DEATHS))('leaves the old object or the whole copy, %s', async (_name, death, isDone) => {
    const [from, key] = [uniqueName('source'), uniqueName('copy')];
    await put(from, NEW);
    await put(key, OLD);
    expect(await kill({ do: 'copy', from, key }, death)).toBe(true);
    expect([await read(from), await read(key)]).toEqual([NEW, isDone ? NEW : OLD]);
    const source = await app.get(ObjectsService).get(bucket, from);
    await app.get(ObjectsService).copy(source, bucket, key, { facts: source });
    expect([await read(from), await read(key)]).toEqual([NEW, NEW]);
  });

  it.each(
    sampled([
      ['before', OLD, 'text/plain'],
      ['after', OLD, 'text/html'],
    ] as const),
  )('changes what is said about an object or not, %s that', async (when, expected, contentType) => {
    const key = uniqueName('described');
    await put(key, OLD);
    const death = { statement: 'UPDATE objects SET content_type', when } as const;
    expect(await kill({ do: 'copy', from: key, key, contentType: 'text/html' }, death)).toBe(true);
    expect(await read(key)).toBe(expected);
    expect(await app.get(ObjectsService).get(bucket, key)).toMatchObject({ contentType });
  });

  it.each(sampled(COPY_DEATHS))('leaves the old part or the whole copied one, %s', async (_name, death, isDone) => {
    const { upload } = await beginUpload(uniqueName('part'));
    const { id: uploadId, key } = upload;
    const from = uniqueName('source');
    await put(from, NEW);
    expect(await kill({ do: 'copy part', from, uploadId, key }, death)).toBe(true);
    expect([await read(from), await partsOf(upload)]).toEqual([NEW, [isDone ? NEW.slice(1) : OLD]]);
  });

  // An admission is committed before.
  const ITS_COMMIT = { statement: 'COMMIT', since: 'DELETE FROM object_uploads' } as const;
  const UNCOMMITTED = { ...ITS_COMMIT, when: 'before' } as const;
  const COMMITTED = { ...ITS_COMMIT, when: 'after' } as const;

  it.each(
    sampled([
      ['in the middle', { statement: 'DELETE FROM upload_parts', when: 'after' } as const, false],
      ['before its commit', UNCOMMITTED, false],
      ['behind its commit', COMMITTED, true],
    ]),
  )(
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

  it.each(
    sampled([
      ['before its commit', UNCOMMITTED, [OLD]],
      ['behind its commit', COMMITTED, 'over'],
    ]),
  )('aborts an upload or leaves it as it is, %s', async (_name, death, expected) => {
    const { upload } = await beginUpload(uniqueName('aborted'));
    expect(await kill({ do: 'abort', uploadId: upload.id }, death)).toBe(true);
    expect(await partsOf(upload)).toEqual(expected);
  });

  it.each(
    sampled([
      ['before', OLD],
      ['after', undefined],
    ] as const),
  )('deletes an object and dooms its bytes in one, %s that', async (when, expected) => {
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

  it.each(sampled(['before', 'after'] as const))(
    'returns what dead writers have reserved once, killed %s it',
    async (when) => {
      const [id, blob] = [app.get(Ids).next(STORAGE_RESERVATION_ID), `blobs/00/${uniqueName('left')}`];
      const lease = new Date(Date.now() + HOUR_MS);
      const reservation = { id, ...{ orgId: bucket.orgId, bucketId: bucket.id }, bytes: 3, blob };
      expect(await app.get(ReservationsStore).reserve(reservation, lease, 1e12)).toBe(true);
      await app.get(ObjectBlobs).put(blob, { bytes: 3, open: () => Readable.from([Buffer.from('abc')]) });
      await sweep('reservations', { statement: 'DELETE FROM storage_reservations', when }, 2 * HOUR_MS);
      expect(await app.get(ReservationsStore).count()).toBe(0);
    },
  );

  it.each(
    sampled([
      ['before any blob is deleted', { statement: 'SELECT blob FROM doomed_blobs', when: 'after' }],
      ['between two blobs', { at: 'first blob deleted' }],
      ['before the rows go', { statement: 'DELETE FROM doomed_blobs', when: 'before' }],
    ] as const),
  )('deletes doomed blobs in the end, killed %s', async (_name, death) => {
    const keys = [uniqueName('doomed'), uniqueName('doomed')];
    for (const key of keys) {
      await put(key, OLD);
      await put(key, NEW);
    }
    await sweep('doomed', death, 2 * HOUR_MS);
    expect(await app.get(DoomedBlobsStore).count()).toBe(0);
    for (const key of keys) expect(await read(key)).toBe(NEW);
  });

  it.each(
    sampled([
      ['before the first is given up', UNCOMMITTED],
      ['between two', COMMITTED],
    ]),
  )('gives up expired uploads in the end, killed %s', async (_name, death) => {
    const uploads = [await beginUpload(uniqueName('expired')), await beginUpload(uniqueName('expired'))];
    await sweep('uploads', death, 8 * DAY_MS);
    for (const { upload } of uploads) expect(await partsOf(upload)).toBe('over');
  });

  it.each(sampled(['before', 'after'] as const))(
    'deletes expired objects of all buckets in the end, killed %s a batch, and no others',
    async (when) => {
      const owner = await make.person({ plan: 'pro' });
      const buckets = [bucket, await newBucket(owner)];
      const kept = await newBucket(owner);
      const key = uniqueName('expired');
      for (const each of [...buckets, kept]) await put(key, OLD, each);
      const ids = buckets.map(({ id }) => id);
      await make.sql('UPDATE buckets SET expire_after_days = 10 WHERE id = ANY($1::text[])', [ids]);
      await make.sql('UPDATE buckets SET expire_after_days = 12 WHERE id = $1', [kept.id]);
      await sweep('objects', { statement: 'gone AS', when }, 11 * DAY_MS);
      await make.sql('UPDATE buckets SET expire_after_days = NULL');
      for (const each of buckets) expect(await read(key, each)).toBeUndefined();
      expect(await read(key, kept)).toBe(OLD);
    },
  );

  it.each(
    sampled([
      ['before its keys end', UNCOMMITTED, true],
      ['with its keys ended', COMMITTED, false],
      ['before its objects go', { statement: 'gone AS', when: 'before' }, false],
      ['with its objects gone', { statement: 'gone AS', when: 'after' }, false],
      ['in the middle of an upload', { statement: 'DELETE FROM object_uploads', when: 'after' }, false],
      ['before a bucket goes', { statement: 'DELETE FROM buckets', when: 'before' }, false],
      ['between two buckets', { statement: 'DELETE FROM buckets', when: 'after' }, false],
    ] as const),
  )('removes all buckets of a deleted organization in the end, killed %s', async (_name, death, hasKeys) => {
    const owner = await make.person({ plan: 'pro' });
    const buckets = [await newBucket(owner), await newBucket(owner)];
    await keyPair(app, owner);
    const others = uniqueName('of-others');
    await put(others, OLD);
    for (const each of buckets) {
      await put('a', NEW, each);
      await beginUpload('b', each);
    }
    const keys = async (): Promise<readonly unknown[]> =>
      (await app.get(AccessKeysService).list(await callOf(app, owner), { limit: 10, after: undefined })).items;
    const settings = { ...app.sharedSettings, OBJECTS_URL: `file://${directory}` };
    const order = { settings, bucket: buckets[0]!, act: { do: 'remove buckets' } } as const;
    expect(await writeApart({ ...order, death })).toBe(true);
    expect(await keys()).toHaveLength(hasKeys ? 1 : 0);
    await requireSums(app);
    expect(await writeApart(order)).toBe(false);
    expect(await keys()).toEqual([]);
    const ids = buckets.map(({ id }) => id);
    expect(await make.sql('SELECT FROM buckets WHERE id = ANY($1::text[])', [ids])).toEqual([]);
    expect(await make.sql('SELECT FROM deleted_buckets WHERE id = ANY($1::text[])', [ids])).toHaveLength(2);
    expect(await read(others)).toBe(OLD);
  });

  it.each(sampled(['before', 'after'] as const))('dooms blobs without a row in the end, killed %s it', async (when) => {
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
