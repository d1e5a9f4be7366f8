import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, type Person } from '../support/make.js';
import { clientOf } from '../support/storage.js';
import { ACCESS_KEYS, BUCKETS, Storing } from '../support/storing.js';
import { eventually, TestApp } from '../support/test-app.js';

const OLD_KEY = 'a-secrets-key-of-the-tests-long-enough-for-it';
const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false', SECRETS_KEY: OLD_KEY };
const app = new TestApp(settings, 'all');
const storage = new Storing(app);
let outsider: Person;

beforeAll(async () => {
  await app.start();
  await storage.begin();
  outsider = await storage.make.person();
});
afterAll(() => app.stop());
afterEach(() => jest.restoreAllMocks());

interface Pair {
  readonly id: string;
  readonly secret: string;
}

/** `200`, or the code of S3 with which it was refused. */
async function outcomeOf(work: Promise<unknown>): Promise<string | number> {
  return work.then(
    () => 200,
    (error: unknown) => (error as Error).name,
  );
}
const put = (pair: Pair, bucket: string, in_: TestApp = app): Promise<string | number> =>
  outcomeOf(clientOf(in_, pair).send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'hello' })));
const get = (pair: Pair, bucket: string, in_: TestApp = app): Promise<string | number> =>
  outcomeOf(clientOf(in_, pair).send(new GetObjectCommand({ Bucket: bucket, Key: 'a' })));

describe('POST /storage/access-keys', () => {
  it('returns the secret once, and keeps it sealed', async () => {
    const key = await storage.accessKey({ name: 'Backups', expires_at: '2035-01-31T00:00:00Z' });
    expect(key).toEqual({
      id: expect.stringMatching(/^AK[A-Z2-7]{18}$/),
      name: 'Backups',
      access: 'write',
      bucket_ids: null,
      project_id: null,
      expires_at: '2035-01-31T00:00:00.000Z',
      last_used_at: null,
      created_at: expect.any(String),
      secret: expect.stringMatching(/^[\w-]{40}$/),
    });
    const listed = expectStatus(200, await app.fetch(ACCESS_KEYS, as(storage.key)));
    expect(listed.body.data.find(({ id }: any) => id === key.id)).toMatchObject({ name: 'Backups' });
    expect(listed.text).not.toContain(key.secret);
    const [row] = await storage.make.sql('SELECT sealed_secret FROM storage_access_keys WHERE id = $1', [key.id]);
    expect((row!['sealed_secret'] as Buffer).toString('latin1')).not.toContain(key.secret);
    expect(JSON.stringify(app.log())).not.toContain(key.secret);
  });

  it.each([
    {},
    { name: 'a', access: 'admin' },
    { name: 'a', access: 'read', bucket_ids: [] },
    { name: 'a', access: 'read', bucket_ids: ['bkt_01jd3m8yeqf5rb0xkq5ym8s6tn'] },
    { name: 'a', access: 'read', expires_at: 'tomorrow' },
    { name: 'a', access: 'read', expires_at: '2020-01-01T00:00:00Z' },
  ])('returns 400 for %j', async (body) => {
    expectStatus(400, await app.post(ACCESS_KEYS, body, as(storage.key)));
  });

  it('returns 401 without a key, 403 with a narrower one, and 403 with one that is bound to addresses', async () => {
    const body = { name: 'a', access: 'read' };
    expectStatus(401, await app.post(ACCESS_KEYS, body));
    const reader = await storage.make.key(storage.owner, { scopes: ['storage:read'] });
    expectStatus(403, await app.post(ACCESS_KEYS, body, as(reader)));
    const bound = await storage.make.key(storage.owner, { allowed_ips: ['198.18.0.0/15'] });
    const refused = expectStatus(403, await app.post(ACCESS_KEYS, body, as(bound)));
    expect(refused.body.error.code).toBe('insufficient_scopes');
  });

  it('does not take a bucket of another organization', async () => {
    const theirs = await storage.bucket({}, await storage.make.key(outsider));
    expectStatus(
      400,
      await app.post(ACCESS_KEYS, { name: 'a', access: 'read', bucket_ids: [theirs.id] }, as(storage.key)),
    );
  });

  it('pages through keys, newest first', async () => {
    const maker = await storage.make.person();
    const token = await storage.make.key(maker);
    const made: string[] = [];
    for (let count = 0; count < 3; count++) made.unshift((await storage.accessKey({}, token)).id as string);
    const first = expectStatus(200, await app.fetch(`${ACCESS_KEYS}?limit=2`, as(token))).body;
    const path = `${ACCESS_KEYS}?limit=2&cursor=${first.meta.next_cursor as string}`;
    const second = expectStatus(200, await app.fetch(path, as(token))).body;
    expect([...first.data, ...second.data].map(({ id }: any) => id)).toEqual(made);
    expect(second.meta.has_more).toBe(false);
    expectStatus(400, await app.fetch(`${ACCESS_KEYS}?cursor=AAAA`, as(token)));
  });
});

describe('an access key', () => {
  it('opens what it was made for', async () => {
    const one = await storage.bucket();
    const other = await storage.bucket();
    const reader = await storage.accessKey({ access: 'read' });
    const writer = await storage.accessKey();
    const narrow = await storage.accessKey({ bucket_ids: [one.id] });
    expect(await put(writer, one.label)).toBe(200);
    expect(await get(reader, one.label)).toBe(200);
    expect(await put(reader, one.label)).toBe('AccessDenied');
    expect(await put(narrow, one.label)).toBe(200);
    expect(await put(narrow, other.label)).toBe('NoSuchBucket');
    const foreign = await storage.accessKey({}, await storage.make.key(outsider));
    expect(await get(foreign, one.label)).toBe('NoSuchBucket');
  });

  it('is refused with another secret, and when it does not exist', async () => {
    const { label } = await storage.bucket();
    const key = await storage.accessKey();
    expect(await put({ ...key, secret: 'x'.repeat(40) }, label)).toBe('SignatureDoesNotMatch');
    expect(await put({ id: 'AKAAAAAAAAAAAAAAAAAA', secret: key.secret }, label)).toBe('InvalidAccessKeyId');
    expect(await put({ id: 'nonsense', secret: key.secret }, label)).toBe('InvalidAccessKeyId');
  });

  it('ends at its expiry', async () => {
    const { label } = await storage.bucket();
    const soon = new Date(Date.now() + 60_000);
    const key = await storage.accessKey({ expires_at: soon.toISOString() });
    expect(await put(key, label)).toBe(200);
    jest.spyOn(app.get(Clock), 'now').mockReturnValue(soon);
    expect(await put(key, label)).toBe('InvalidAccessKeyId');
  });

  it('shows when it was last used', async () => {
    const { label } = await storage.bucket();
    const key = await storage.accessKey();
    await put(key, label);
    await app.runSchedule('storage-access-key-usage');
    const listed = expectStatus(200, await app.fetch(ACCESS_KEYS, as(storage.key))).body.data;
    await eventually(() => listed.find(({ id }: any) => id === key.id).last_used_at !== null, 'the use is written');
  });

  it('spends no call of the day, and keeps to the burst limit', async () => {
    const maker = await storage.make.person();
    const token = await storage.make.key(maker);
    const { label } = await storage.bucket({}, token);
    const key = await storage.accessKey({}, token);
    const before = (await app.fetch('/api/v1/me', as(token))).headers.get('x-service-calls-remaining');
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => outcomeOf(clientOf(app, key).send(new ListBucketsCommand({})))),
    );
    expect(new Set(answers)).toEqual(new Set([200, 'SlowDown']));
    expect(label).toBeDefined();
    const after = (await app.fetch('/api/v1/me', as(token))).headers.get('x-service-calls-remaining');
    expect(Number(before) - Number(after)).toBe(1);
  });
});

describe('an access key stops with the next request, in every process', () => {
  let other: TestApp;
  beforeAll(async () => {
    other = await app.another();
  });
  afterAll(() => other.stop());

  /** Both processes have used the key before. */
  async function used(pair: Pair): Promise<(expected: string | number) => Promise<void>> {
    const { label } = await storage.bucket();
    const both = async (): Promise<(string | number)[]> => [await put(pair, label), await put(pair, label, other)];
    expect(await both()).toEqual([200, 200]);
    return async (expected) => {
      expect(await both()).toEqual([expected, expected]);
    };
  }

  it('when it is deleted', async () => {
    const key = await storage.accessKey();
    const expectBoth = await used(key);
    expectStatus(204, await app.call('DELETE', `${ACCESS_KEYS}/${key.id as string}`, as(storage.key)));
    await expectBoth('InvalidAccessKeyId');
    expectStatus(404, await app.call('DELETE', `${ACCESS_KEYS}/${key.id as string}`, as(storage.key)));
  });

  it('when the API key that created it is revoked', async () => {
    const issued = expectStatus(201, await app.post('/api/v1/keys', { name: 'maker' }, as(storage.owner))).body.data;
    const expectBoth = await used(await storage.accessKey({}, issued.secret as string));
    expectStatus(204, await app.call('DELETE', `/api/v1/keys/${issued.id as string}`, as(storage.owner)));
    await expectBoth('InvalidAccessKeyId');
  });

  it('when its creator may only read, and when they leave', async () => {
    const org = await storage.make.org(storage.owner, { plan: 'builder' });
    const member = await storage.make.person();
    await storage.make.member(org, member, 'member');
    const headers = { ...as(await storage.make.key(member)).headers, 'x-service-org': org.id };
    const bucket = expectStatus(201, await app.post(BUCKETS, { name: 'team-files' }, { headers })).body.data;
    const body = { name: 'a', access: 'write' };
    const key = expectStatus(201, await app.post(ACCESS_KEYS, body, { headers })).body.data;
    const both = async (): Promise<unknown> => [await put(key, bucket.label), await put(key, bucket.label, other)];
    expect(await both()).toEqual([200, 200]);
    await storage.make.role(org, member, 'viewer');
    expect(await both()).toEqual(['AccessDenied', 'AccessDenied']);
    // Each process has a directory of its own here, and the other one wrote last.
    expect(await get(key, bucket.label, other)).toBe(200);
    const path = `/api/v1/orgs/${org.id}/members/${member.user.id}`;
    expectStatus(204, await app.call('DELETE', path, as(storage.owner)));
    expect(await both()).toEqual(['InvalidAccessKeyId', 'InvalidAccessKeyId']);
  });
});

it('answers for a key of another organization as for one that never was', async () => {
  const key = await storage.accessKey();
  const token = await storage.make.key(outsider);
  const theirs = await app.call('DELETE', `${ACCESS_KEYS}/${key.id as string}`, as(token));
  const unknown = await app.call('DELETE', `${ACCESS_KEYS}/AKAAAAAAAAAAAAAAAAAA`, as(token));
  expect([theirs.status, theirs.body.error]).toEqual([404, unknown.body.error]);
});

it('re-encrypts secrets with the newest SECRETS_KEY, so that the older one is no longer needed', async () => {
  const key = await storage.accessKey();
  const { label } = await storage.bucket();
  const newest = `2:${'n'.repeat(40)}`;
  settings['SECRETS_KEY'] = `${newest},1:${OLD_KEY}`;
  await app.restart();
  expect(await put(key, label)).toBe(200);
  await app.runSchedule('re-encryption');
  settings['SECRETS_KEY'] = newest;
  await app.restart();
  expect(await put(key, label)).toBe(200);
}, 60_000);
