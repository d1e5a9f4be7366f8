import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Bucket } from '../../src/modules/objects/persistence/bucket-rows.js';
import { BucketsService } from '../../src/modules/objects/buckets/buckets.service.js';
import { Make, type Person } from '../support/make.js';
import { RedisRelay } from '../support/redis-relay.js';
import { bucketOf, callOf, clientOf, keyPair, requireSums } from '../support/storage.js';
import { eventually, TestApp } from '../support/test-app.js';

describe('objects that several processes serve', () => {
  // Processes share the blobs, and the second one loses its Redis.
  const directory = mkdtempSync(join(tmpdir(), 'service-objects-'));
  const app = new TestApp({ OBJECTS_URL: `file://${directory}` }, 'api');
  let relay: RedisRelay;
  let other: TestApp;
  let owner: Person;
  let bucket: Bucket;
  let writer: S3Client;
  let reader: S3Client;

  beforeAll(async () => {
    relay = await RedisRelay.start();
    await app.start({ redisUrl: relay.url });
    other = await app.another({ role: 'api' });
    owner = await new Make(app).person({ plan: 'pro' });
    bucket = await bucketOf(app, owner, 'shared');
    const pair = await keyPair(app, owner);
    [writer, reader] = [clientOf(other, pair), clientOf(app, pair)];
  });
  afterAll(async () => {
    for (const client of [writer, reader]) client.destroy();
    await other.stop();
    await app.stop();
    await relay.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const put = (Key: string, Body: string, client = writer): Promise<unknown> =>
    client.send(new PutObjectCommand({ Bucket: 'shared', Key, Body }));
  const read = async (Key: string, client = reader): Promise<string> => {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: 'shared', Key }));
      return await Body!.transformToString();
    } catch (error) {
      return (error as Error).name;
    }
  };

  it('are read as the last write left them, wherever it was answered', async () => {
    await put('a', 'one');
    expect([await read('a'), await read('a')]).toEqual(['one', 'one']);
    await put('a', 'two');
    expect([await read('a'), await read('a')]).toEqual(['two', 'two']);
    const self = { Bucket: 'shared', Key: 'a', CopySource: 'shared/a', MetadataDirective: 'REPLACE' } as const;
    await writer.send(new CopyObjectCommand({ ...self, Metadata: { colour: 'red' } }));
    const { Metadata } = await reader.send(new HeadObjectCommand({ Bucket: 'shared', Key: 'a' }));
    expect(Metadata).toEqual({ colour: 'red' });
    await writer.send(new DeleteObjectCommand({ Bucket: 'shared', Key: 'a' }));
    expect(await read('a')).toBe('NoSuchKey');
    await put('a', 'two');
    expect(await read('a')).toBe('two');
  });

  it('never go back while many read and one writes', async () => {
    let [answered, isOver] = [0, false];
    const faults: string[] = [];
    await put('count', '0');
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const least = answered;
        const found = Number(await read('count'));
        if (!(found >= least)) faults.push(`${found} after ${least}`);
      }
    });
    for (let count = 1; count <= 30; count++) {
      await put('count', String(count));
      answered = count;
    }
    isOver = true;
    await Promise.all(readers);
    expect(faults).toEqual([]);
  });

  it('belong to the bucket that has the name now', async () => {
    await put('named', 'mine');
    expect(await read('named')).toBe('mine');
    const call = await callOf(other, owner);
    await other.get(BucketsService).update(call, bucket.id, { name: 'renamed' });
    expect(await read('named')).toBe('NoSuchBucket');
    await other.get(BucketsService).update(call, bucket.id, { name: 'shared' });
    expect(await read('named')).toBe('mine');
  });

  it('share the statements of writes that arrive together, and are stored each with its own bytes', async () => {
    const keys = Array.from({ length: 24 }, (_, index) => `many/${index % 20}`);
    await Promise.all(keys.map((key, index) => put(key, `${key} ${index}`, index % 2 === 0 ? writer : reader)));
    for (const key of new Set(keys)) expect(await read(key)).toMatch(new RegExp(`^${key} \\d+$`));
    await requireSums(app);
  });

  it('are read and written while Redis is unavailable, and still as the last write left them', async () => {
    await put('away', 'one');
    expect(await read('away')).toBe('one');
    relay.cut();
    await put('away', 'two', reader);
    expect(await read('away')).toBe('two');
    relay.mend();
    await eventually(async () => (await app.fetch('/ready')).status === 200, 'Redis is back');
  });
});
