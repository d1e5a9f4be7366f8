import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BlobMissing, type BlobContent, type BlobStorage, contentOf } from '../../src/platform/blobs/blob-storage.js';
import { type BlobsPlace, parseBlobsUrl } from '../../src/platform/blobs/blobs-url.js';
import { openBlobStorage } from '../../src/platform/blobs/open-blob-storage.js';
import { S3BlobStorage } from '../../src/platform/blobs/s3-blob-storage.js';
import { ServiceUnavailable } from '../../src/platform/errors/platform.errors.js';
import { SystemClock } from '../../src/platform/time/clock.js';
import { Make } from '../support/make.js';
import { soon } from '../support/patience.js';
import { S3Peer } from '../support/s3-peer.js';
import { bucketOf, keyPair } from '../support/storage.js';
import { TestApp } from '../support/test-app.js';

const directory = mkdtempSync(join(tmpdir(), 'service-blobs-'));
const SMALL = 100_000;
const PIECE = 50_000;
/** Beyond what a storage takes into its memory. */
const LARGE = 9_000_000;
const PEER = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', sessionToken: undefined };

type S3Place = Extract<BlobsPlace, { kind: 's3' }>;

let peer: S3Peer;
/** The service is a server of S3 itself. */
const app = new TestApp({}, 'api');

beforeAll(async () => {
  peer = await S3Peer.start();
  await app.start();
});
afterAll(async () => {
  await app.stop();
  await peer.stop();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(() => {
  peer.mend();
});

const STORAGES: Record<string, () => Promise<BlobStorage>> = {
  'a directory': () => openBlobStorage({ kind: 'file', directory }, undefined, new SystemClock()),
  'a bucket of another server': () => openBlobStorage(placeIn('blobs'), PEER, new SystemClock()),
  'a bucket of the service itself': async () => {
    const owner = await new Make(app).person({ plan: 'pro' });
    await bucketOf(app, owner, 'blobs');
    const { id, secret } = await keyPair(app, owner);
    const place = { ...placeIn('blobs'), endpoint: `${app.url}/s3` };
    const credentials = { accessKeyId: id, secretAccessKey: secret, sessionToken: undefined };
    return openBlobStorage(place, credentials, new SystemClock());
  },
};

const placeIn = (bucket: string): S3Place => parseBlobsUrl(peer.address(bucket)) as S3Place;

let count = 0;
const newKey = (): string => `blobs/ab/${++count}`;

/** The content of a blob, whose source may fail behind some of its bytes. */
function contentBy(bytes: Buffer, { announced = bytes.length, failsAt = Infinity } = {}): BlobContent {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += PIECE) {
      if (at >= failsAt) throw new Error('The source failed.');
      yield await Promise.resolve(bytes.subarray(at, at + PIECE));
    }
    if (failsAt === bytes.length) throw new Error('The source failed.');
  }
  return { bytes: announced, open: () => Readable.from(pieces(), { objectMode: false }) };
}

async function keysOf(blobs: BlobStorage, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys.sort();
}

describe.each(Object.keys(STORAGES))('blobs in %s', (name) => {
  let blobs: BlobStorage;

  beforeAll(async () => {
    blobs = await STORAGES[name]!();
  });

  it.each([1, SMALL, LARGE])('are returned whole and in parts: %d bytes', async (size) => {
    const [key, bytes] = [newKey(), randomBytes(size)];
    await blobs.put(key, { ...contentBy(bytes), isNew: true });
    expect((await buffer(await blobs.get(key))).equals(bytes)).toBe(true);
    expect((await blobs.read(key, size)).equals(bytes)).toBe(true);
    await expect(blobs.read(key, size + 1)).rejects.toThrow(`has ${size}`);
    for (const [start, end] of [
      // With both ends at zero, s3rver sends everything.
      [0, Math.min(1, size - 1)],
      [size - 1, size - 1],
      [Math.floor(size / 3), Math.floor(size / 2)],
    ] as const)
      expect((await buffer(await blobs.get(key, { start, end }))).equals(bytes.subarray(start, end + 1))).toBe(true);
    expect((await blobs.changedAt(key))!.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await blobs.refresh(key)).toBe(true);
  });

  it('are known to be missing, before they are stored and after they are deleted', async () => {
    const key = newKey();
    const requireMissing = async (): Promise<void> => {
      await expect(blobs.get(key)).rejects.toThrow(BlobMissing);
      await expect(blobs.get(key, { start: 1, end: 2 })).rejects.toThrow(BlobMissing);
      await expect(blobs.read(key, 1)).rejects.toThrow(BlobMissing);
      expect(await blobs.changedAt(key)).toBeNull();
      expect(await blobs.refresh(key)).toBe(false);
      await blobs.delete(key);
    };
    await requireMissing();
    await blobs.put(key, contentOf(Buffer.from('there')));
    await blobs.delete(key);
    await requireMissing();
  });

  it('may be written by several at once', async () => {
    const [key, bytes] = [newKey(), randomBytes(SMALL)];
    await Promise.all(Array.from({ length: 5 }, () => blobs.put(key, contentBy(bytes))));
    expect((await buffer(await blobs.get(key))).equals(bytes)).toBe(true);
  });

  it.each([
    ['small', SMALL],
    ['large', LARGE],
  ])('are not stored by halves: %s', async (_name, size) => {
    const bytes = randomBytes(size);
    const half = Math.floor(size / 2);
    for (const [content, fault] of [
      [contentBy(bytes, { announced: size + 1 }), `A blob of ${size + 1} bytes came to ${size}.`],
      [contentBy(bytes, { announced: half }), `A blob of ${half} bytes came to `],
      [contentBy(bytes, { failsAt: half }), 'The source failed.'],
      // Such as one whose checksum is found out to be wrong.
      [contentBy(bytes, { failsAt: size }), 'The source failed.'],
    ] as const) {
      for (const isNew of [true, false]) {
        const key = newKey();
        await expect(blobs.put(key, { ...content, isNew })).rejects.toThrow(fault);
        expect(await blobs.changedAt(key)).toBeNull();
      }
    }
    if (name === 'a directory') expect(readdirSync(join(directory, 'unfinished'))).toEqual([]);
  });

  it('are listed below a prefix, and can be deleted meanwhile', async () => {
    const keys = ['list/a/1', 'list/a/2', 'list/ab/3'];
    for (const key of keys) await blobs.put(key, contentOf(Buffer.from(key)));
    expect(await keysOf(blobs, 'list/a/')).toEqual(keys.slice(0, 2));
    expect(await keysOf(blobs, 'list/')).toEqual(keys);
    for await (const { key } of blobs.list('list/')) await blobs.delete(key);
    expect(await keysOf(blobs, 'list/')).toEqual([]);
  });

  it('have keys that lead nowhere else', async () => {
    for (const key of ['a', '../a', 'a/../b', '/a', 'a//b', 'a/.b', 'a/b\0'])
      await expect(blobs.get(key)).rejects.toThrow('Not a key');
  });
});

it('lists all of more blobs than a server of S3 lists at once', async () => {
  const blobs = await STORAGES['a bucket of the service itself']!();
  await blobs.put('pages/a/0', contentOf(Buffer.from('a')));
  await new Make(app).sql(
    `INSERT INTO objects
     SELECT (jsonb_populate_record(object, jsonb_build_object('key', 'some/place/pages/a/' || number))).*
     FROM objects object, generate_series(1, 2100) AS number WHERE key = 'some/place/pages/a/0'`,
  );
  expect(new Set(await keysOf(blobs, 'pages/')).size).toBe(2_101);
});

describe('a server of S3 that fails', () => {
  const WAITS = { connectMs: 5_000, answerMs: 100, bytesMs: 400 };
  let blobs: BlobStorage;
  /** It waits as long as any server of this machine needs. */
  const patient = (bucket = 'blobs'): BlobStorage => new S3BlobStorage(placeIn(bucket), PEER, new SystemClock());

  beforeEach(() => {
    blobs = patient();
  });

  const BUSY = { kind: 'answer', status: 503, code: 'ServiceUnavailable' } as const;
  const ONCE_OVER = [
    ['with an error', BUSY],
    ['with the page of a proxy', { kind: 'page', status: 502 }],
    ['by breaking the connection', { kind: 'reset' }],
  ] as const;

  it.each(ONCE_OVER)('for a moment, %s, is asked again', async (_name, fault) => {
    const [key, bytes] = [newKey(), randomBytes(1_000)];
    peer.fail(fault, { times: 2 });
    await blobs.put(key, contentBy(bytes));
    peer.fail(fault, { times: 2 });
    expect((await buffer(await blobs.get(key))).equals(bytes)).toBe(true);
    peer.fail(fault, { times: 2 });
    expect(await keysOf(blobs, key)).toEqual([key]);
    peer.fail(fault, { times: 2 });
    await blobs.delete(key);
    expect(await blobs.changedAt(key)).toBeNull();
  });

  it.each(ONCE_OVER)('for longer, %s, is unavailable, and nothing is taken for missing', async (_name, fault) => {
    const key = newKey();
    await blobs.put(key, contentOf(Buffer.from('there')));
    peer.fail(fault);
    for (const work of [
      () => blobs.put(newKey(), contentOf(Buffer.from('small'))),
      () => blobs.put(newKey(), contentBy(randomBytes(LARGE))),
      () => blobs.get(key),
      () => blobs.read(key, 5),
      () => blobs.changedAt(key),
      () => blobs.refresh(key),
      () => blobs.delete(key),
      () => keysOf(blobs, 'blobs/'),
    ])
      await expect(work()).rejects.toThrow(ServiceUnavailable);
    peer.mend();
    expect((await blobs.read(key, 5)).toString()).toBe('there');
  });

  it('is sent a large blob again when it is in memory, also when the answer was lost', async () => {
    const [key, bytes] = [newKey(), randomBytes(16_777_216)];
    peer.fail(BUSY, { times: 1 });
    peer.fail({ kind: 'lose-answer' }, { times: 1 });
    await blobs.put(key, contentOf(bytes));
    expect(peer.seen).toEqual(['PUT', 'PUT', 'PUT']);
    expect((await buffer(await blobs.get(key))).equals(bytes)).toBe(true);
  });

  it('lets go of the source of a blob that it does not take', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield await Promise.resolve(randomBytes(SMALL));
      } finally {
        isClosed = true;
      }
    }
    peer.fail({ kind: 'reset' });
    const content = { bytes: LARGE, open: () => Readable.from(endless(), { objectMode: false }) };
    await expect(blobs.put(newKey(), content)).rejects.toThrow();
    await soon(() => isClosed);
  });

  it('by not answering is given up', async () => {
    const hasty = new S3BlobStorage(placeIn('blobs'), PEER, new SystemClock(), WAITS);
    peer.fail({ kind: 'stall' });
    for (const work of [
      () => hasty.put(newKey(), contentOf(Buffer.from('small'))),
      () => hasty.put(newKey(), contentBy(randomBytes(LARGE))),
      () => hasty.get(newKey()),
      () => hasty.delete(newKey()),
    ])
      await expect(work()).rejects.toThrow(ServiceUnavailable);
  });

  it('by sending half of a blob, and then nothing or an end, is no caller that has left', async () => {
    const [key, bytes] = [newKey(), randomBytes(SMALL)];
    await blobs.put(key, contentBy(bytes));
    const hasty = new S3BlobStorage(placeIn('blobs'), PEER, new SystemClock(), { ...WAITS, answerMs: 30_000 });
    for (const kind of ['stall-body', 'break-off'] as const) {
      peer.fail({ kind }, { times: 1 });
      await expect(buffer(await hasty.get(key))).rejects.toThrow(ServiceUnavailable);
    }
    // A reader may take its time.
    const slow: Buffer[] = [];
    for await (const chunk of (await hasty.get(key)) as AsyncIterable<Buffer>) {
      if (slow.push(chunk) === 1) await new Promise((resolve) => setTimeout(resolve, 2 * WAITS.bytesMs));
    }
    expect(Buffer.concat(slow).equals(bytes)).toBe(true);
  });

  it('serves others while many read slowly', async () => {
    const key = newKey();
    await blobs.put(key, contentBy(randomBytes(1_000_000)));
    const readers = await Promise.all(Array.from({ length: 70 }, () => blobs.get(key)));
    expect((await blobs.read(key, 1_000_000)).length).toBe(1_000_000);
    for (const reader of readers) reader.destroy();
  });

  it('for good, as without its bucket, is neither unavailable nor without the blob', async () => {
    const nowhere = patient('nowhere');
    await expect(nowhere.get(newKey())).rejects.toThrow(/bucket/);
    await expect(nowhere.put(newKey(), contentOf(Buffer.from('a')))).rejects.toThrow(/bucket/);
    await expect(keysOf(nowhere, 'blobs/')).rejects.toThrow(/bucket/);
  });
});
