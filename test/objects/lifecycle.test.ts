import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { PlanLimitCounters } from '../../src/modules/plans/plan-limit-counters.js';
import { PLANS } from '../../src/modules/plans/plan.js';
import { Database } from '../../src/platform/database/database.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus } from '../support/make.js';
import { clientOf, requireSums } from '../support/storage.js';
import { BUCKETS, STORAGE, Storing } from '../support/storing.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
const DAY_MS = 86_400_000;

beforeAll(() => storage.begin());
afterEach(() => jest.restoreAllMocks());

const keysOf = async (id: string): Promise<string[]> =>
  expectStatus(200, await app.fetch(`${BUCKETS}/${id}/objects?limit=1000`, as(storage.key))).body.data.objects.map(
    ({ key }: any) => key as string,
  );

it('deletes objects when they are as many days old as the bucket says, and not a millisecond before', async () => {
  const { id } = await storage.bucket({ expire_after_days: 2 });
  const kept = await storage.bucket();
  const stored = expectStatus(200, await storage.put(id, 'a', 'hello')).body.data;
  expectStatus(200, await storage.put(kept.id as string, 'a', 'hello'));
  const now = jest.spyOn(app.get(Clock), 'now');
  now.mockReturnValue(new Date(Date.parse(stored.updated_at as string) + 2 * DAY_MS - 1));
  await app.runSchedule('expired-objects');
  now.mockRestore();
  expect(await keysOf(id as string)).toEqual(['a']);
  const later = jest.spyOn(app.get(Clock), 'now');
  later.mockReturnValue(new Date(Date.parse(stored.updated_at as string) + 2 * DAY_MS));
  await app.runSchedule('expired-objects');
  later.mockRestore();
  expect(await keysOf(id as string)).toEqual([]);
  expect(await keysOf(kept.id as string)).toEqual(['a']);
  const bucket = expectStatus(200, await app.fetch(`${BUCKETS}/${id as string}`, as(storage.key))).body.data;
  expect(bucket).toMatchObject({ size_bytes: 0, object_count: 0 });
});

it('deletes more than one batch', async () => {
  const { id } = await storage.bucket({ expire_after_days: 1 });
  expectStatus(200, await storage.put(id as string, 'new', ''));
  const sql = app.get(Database).manager;
  await sql.query(
    `INSERT INTO objects (bucket_id, key, revision, size, etag, content_type, headers, metadata, parts, updated_at)
     SELECT $1, 'old-' || n, 'rsv_' || n, 0, 'x', 'a/b', '{}', '{}', '[]', now() - interval '2 days'
     FROM generate_series(1, 1100) AS n`,
    [id],
  );
  await sql.query('UPDATE buckets SET object_count = object_count + 1100 WHERE id = $1', [id]);
  await app.runSchedule('expired-objects');
  expect(await keysOf(id as string)).toEqual(['new']);
});

it('removes the buckets, objects, uploads and keys of a deleted organization', async () => {
  const org = await storage.make.org(storage.owner, { plan: 'builder' });
  const headers = { ...as(storage.key).headers, 'x-service-org': org.id };
  const bucket = expectStatus(201, await app.post(BUCKETS, { name: 'team-files' }, { headers })).body.data;
  const path = `${BUCKETS}/${bucket.id as string}`;
  expectStatus(200, await app.call('PUT', `${path}/objects/a`, { headers, body: 'hello' }));
  expectStatus(201, await app.post(`${path}/uploads`, { key: 'b', size_bytes: 1 }, { headers }));
  expectStatus(201, await app.post(`${STORAGE}/access-keys`, { name: 'a', access: 'write' }, { headers }));
  expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(storage.owner)));
  const left = async (): Promise<unknown> =>
    (
      await storage.make.sql(
        `SELECT (SELECT count(*)::int FROM buckets WHERE org_id = $1) AS buckets,
           (SELECT count(*)::int FROM objects WHERE bucket_id = $2) AS objects,
           (SELECT count(*)::int FROM object_uploads WHERE bucket_id = $2) AS uploads,
           (SELECT count(*)::int FROM storage_access_keys WHERE org_id = $1) AS keys`,
        [org.id, bucket.id],
      )
    )[0];
  await eventually(
    async () => JSON.stringify(await left()) === '{"buckets":0,"objects":0,"uploads":0,"keys":0}',
    'nothing is left',
    20_000,
  );
});

it('announces once a day that the storage is full', async () => {
  const maker = await storage.make.person();
  const key = await storage.make.key(maker);
  const bucket = await storage.bucket({}, key);
  const sql = app.get(Database).manager;
  await sql.query('UPDATE storage_accounts SET reserved = 1000000000 WHERE org_id = $1', [maker.organization.id]);
  const put = (): Promise<any> =>
    app.call('PUT', `${BUCKETS}/${bucket.id as string}/objects/a`, { ...as(key), body: 'hello' });
  for (let count = 0; count < 3; count++) {
    const refused = await put();
    expect([refused.status, refused.body.error.code]).toEqual([413, 'storage_full']);
  }
  const events = async (): Promise<any[]> =>
    storage.make.sql(`SELECT type, data FROM org_events WHERE org_id = $1 AND type = 'storage.full'`, [
      maker.organization.id,
    ]);
  await eventually(async () => (await events()).length > 0, 'the event is there', 15_000);
  expect(await events()).toHaveLength(1);
  await sql.query('UPDATE storage_accounts SET reserved = 0 WHERE org_id = $1', [maker.organization.id]);
});

describe('with more than a smaller plan includes', () => {
  it('does not fit into the plan, and refuses writes while reads and deletions go on', async () => {
    const maker = await storage.make.person({ plan: 'builder' });
    const key = await storage.make.key(maker);
    const { id, label } = await storage.bucket({}, key);
    const client = clientOf(app, await storage.accessKey({}, key));
    const at = (name: string): string => `${BUCKETS}/${id as string}/objects/${name}`;
    const put = (name: string, body: string): Promise<Answer> => app.call('PUT', at(name), { ...as(key), body });
    const byS3 = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: unknown) => (error as Error).name,
      );
    for (const name of ['a', 'b']) expectStatus(200, await put(name, 'hello'));
    const named = { Bucket: label as string, Key: 'parts' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(named));
    const part = { ...named, UploadId, PartNumber: 1 };
    const { ETag } = await client.send(new UploadPartCommand({ ...part, Body: 'part' }));

    // More than a gigabyte would take the test minutes to store.
    const orgId = maker.organization.id;
    const add = (bytes: number): Promise<unknown> =>
      storage.make.sql('UPDATE storage_accounts SET bytes = bytes + $2 WHERE org_id = $1', [orgId, bytes]);
    await add(1e9);
    expect(await app.get(PlanLimitCounters).exceeded(PLANS.free, orgId)).toEqual([
      { limit: 'bytes_in_buckets', allowed: 1e9, used: 1e9 + 14 },
    ]);
    // A plan also ends without being asked, such as when its payment method is gone.
    await storage.make.plan(orgId, 'free');

    for (const refused of [await put('c', 'hello'), await put('a', ''), await put('a', 'x')])
      expect([refused.status, refused.body.error.code]).toEqual([413, 'storage_full']);
    expect(await byS3(client.send(new PutObjectCommand({ ...named, Body: 'x' })))).toBe('QuotaExceeded');
    expect(await byS3(client.send(new UploadPartCommand({ ...part, PartNumber: 2, Body: 'x' })))).toBe('QuotaExceeded');
    const copy = { ...named, CopySource: `${label as string}/a` };
    expect(await byS3(client.send(new CopyObjectCommand(copy)))).toBe('QuotaExceeded');

    expect(expectStatus(200, await app.fetch(at('a'), as(key))).text).toBe('hello');
    expectStatus(200, await app.fetch(`${BUCKETS}/${id as string}/objects`, as(key)));
    // The parts are stored already, so that an object of them takes no more.
    const parts = { MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
    expect(await byS3(client.send(new CompleteMultipartUploadCommand({ ...named, UploadId, ...parts })))).toBe('done');
    expectStatus(204, await app.call('DELETE', at('b'), as(key)));
    await add(-1e9);
    expectStatus(200, await put('c', 'hello'));
    client.destroy();
    await requireSums(app);
  });
});
