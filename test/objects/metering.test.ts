import { StorageSampler } from '../../src/modules/metering/storage/storage-sampler.js';
import { STORAGE_RESERVATION_ID } from '../../src/modules/objects/objects.ids.js';
import type { Bucket } from '../../src/modules/objects/persistence/bucket-rows.js';
import { BucketSamplesStore } from '../../src/modules/objects/persistence/bucket-samples.store.js';
import { BucketsStore } from '../../src/modules/objects/persistence/buckets.store.js';
import { ObjectsStore } from '../../src/modules/objects/persistence/objects.store.js';
import { ReservationsStore } from '../../src/modules/objects/persistence/reservations.store.js';
import { Ids } from '../../src/platform/ids/ids.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, Make } from '../support/make.js';
import { bucketOf, requireSums } from '../support/storage.js';
import { Storing } from '../support/storing.js';
import { useApp } from '../support/test-app.js';

const HOUR_MS = 3_600_000;
const MAX_SIZE = 5_000_000;

describe('metering of buckets', () => {
  const app = useApp();
  const make = new Make(app);

  /** Stores an object in place of the one that is there. */
  async function store({ id: bucketId, orgId }: Bucket, size: number, now: Date): Promise<void> {
    const reservation = {
      id: app.get(Ids).next(STORAGE_RESERVATION_ID),
      ...{ orgId, bucketId, bytes: MAX_SIZE, blob: `blobs/00/${Math.random().toString(36).slice(2)}` },
    };
    await app.get(ReservationsStore).reserve(reservation, new Date(now.getTime() + 60_000), 1e12);
    const objects = app.get(ObjectsStore);
    const facts = { contentType: 'text/plain', headers: {}, metadata: {}, checksum: null };
    const written = { ...facts, key: 'k', size, etag: 'e', parts: [] };
    const isStored = await objects.store(reservation, written, await objects.find(bucketId, 'k'), { now, dueAt: now });
    expect(isStored).toBe(true);
  }

  it('bills the integral of the bytes over time, however they come and go', async () => {
    const owner = await make.person({ plan: 'pro' });
    const bucket = await bucketOf(app, owner, 'metered');
    const [samples, id] = [app.get(BucketSamplesStore), bucket.id];
    const firstHour = Math.floor(bucket.createdAt.getTime() / HOUR_MS) * HOUR_MS;
    let [at, size, expected, billed] = [bucket.createdAt.getTime(), 0, 0, 0];
    for (let hour = 1; hour <= 6; hour++) {
      const end = firstHour + hour * HOUR_MS;
      for (;;) {
        const next = at + 60_000 + Math.floor(Math.random() * 1_200_000);
        if (next >= end) break;
        expected += size * (next - at);
        [at, size] = [next, Math.floor(Math.random() * MAX_SIZE)];
        await store(bucket, size, new Date(at));
      }
      expected += size * (end - at);
      const expectedAtHour = expected;
      // What changes behind the hour and before its sample belongs to the next hour.
      const late = end + 30_000;
      expected += size * 30_000;
      [at, size] = [late, Math.floor(Math.random() * MAX_SIZE)];
      await store(bucket, size, new Date(late));
      // A sample that is taken again stays as it is.
      for (let again = 0; again < 2; again++) await samples.take('buckets', new Date(end + 60_000), 100);
      billed += Number((await samples.all()).find((each) => each.id === id)?.bytes ?? 0);
      expect(Math.abs(billed - expectedAtHour / HOUR_MS)).toBeLessThanOrEqual(1);
    }
    await requireSums(app);
  });

  it('bills what a deleted bucket kept, and forgets it afterwards', async () => {
    const owner = await make.person({ plan: 'pro' });
    const bucket = await bucketOf(app, owner, 'short');
    const [samples, objects, begun] = [app.get(BucketSamplesStore), app.get(ObjectsStore), bucket.createdAt.getTime()];
    await store(bucket, 3_600_000, bucket.createdAt);
    const end = new Date(begun + 1_000);
    await objects.delete(bucket, ['k'], { now: end, dueAt: end });
    expect(await app.get(BucketsStore).deleteEmpty(bucket.id, end)).toBe(true);
    const next = new Date((Math.floor(begun / HOUR_MS) + 2) * HOUR_MS);
    await samples.take('deleted_buckets', next, 100);
    const sample = (await samples.all()).find(({ id }) => id === bucket.id);
    // 3.6 MB for a second of two hours at most.
    expect([500, 1_000]).toContain(Number(sample!.bytes));
    await samples.forgetDeleted(new Date(next.getTime() + HOUR_MS));
    expect((await samples.all()).some(({ id }) => id === bucket.id)).toBe(false);
  });

  it('bills what a bucket of a project keeps as usage of the project', async () => {
    const storage = new Storing(app);
    await storage.begin('pro');
    const project = expectStatus(201, await app.post('/api/v1/projects', { name: 'Shop' }, as(storage.key))).body.data;
    const bucket = await storage.bucket({ project_id: project.slug });
    const other = await storage.bucket();
    for (const { id } of [bucket, other]) expectStatus(200, await storage.put(id as string, 'a', 'x'.repeat(1_000)));
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    // All of the second hour behind this one is later than the writes.
    for (const hours of [1, 2]) {
      const at = new Date(hour + hours * HOUR_MS + 60_000);
      const now = jest.spyOn(app.get(Clock), 'now').mockImplementation(() => at);
      await app.get(StorageSampler).sample();
      now.mockRestore();
    }
    const [from, to] = [2, 3].map((hours) => new Date(hour + hours * HOUR_MS).toISOString());
    const usage = `/api/v1/billing/usage?from=${from}&to=${to}&group_by=project`;
    const lines: any[] = expectStatus(200, await app.fetch(usage, as(storage.key))).body.data;
    const common = { meter: 'object_storage', unit: 'byte_hours', quantity: '1000' };
    expect(lines.map(({ meter, unit, quantity }) => ({ meter, unit, quantity }))).toEqual([common, common]);
    expect(new Set(lines.map(({ project_id: id }) => id as unknown))).toEqual(new Set([project.id, undefined]));
  });
});
