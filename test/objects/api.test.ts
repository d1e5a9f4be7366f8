import { as, expectStatus, type Person, send, uniqueName } from '../support/make.js';
import { BUCKETS, STORAGE, Storing } from '../support/storing.js';
import { useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
let outsider: Person;

beforeAll(async () => {
  await storage.begin();
  outsider = await storage.make.person({ plan: 'builder' });
});

const codeOf = ({ body }: { body: any }): string => body.error.code as string;

describe('POST /storage/buckets', () => {
  it('creates a private bucket with a label that no one chose', async () => {
    const name = uniqueName('photos');
    const bucket = await storage.bucket({ name });
    expect(bucket).toMatchObject({
      id: expect.stringMatching(/^bkt_/),
      organization_id: storage.orgId,
      project_id: null,
      name,
      label: expect.stringMatching(new RegExp(`^${name}-[a-z0-9]{8}$`)),
      visibility: 'private',
      cors: [],
      expire_after_days: null,
      size_bytes: 0,
      reserved_bytes: 0,
      object_count: 0,
      public_url: null,
    });
    expect(bucket.s3).toEqual({
      endpoint: expect.stringMatching(/storage\.localhost/),
      bucket: bucket.label,
      region: 'us-east-1',
    });
  });

  it.each([
    { name: 'A' },
    { name: 'with.dots' },
    { name: '-begins' },
    { name: 'ok-name', visibility: 'open' },
    { name: 'ok-name', expire_after_days: 0 },
    { name: 'ok-name', cors: [{ origins: ['https://*.example'], methods: ['GET'] }] },
    { name: 'ok-name', cors: [{ origins: ['*'], methods: ['PATCH'] }] },
    {},
  ])('returns 400 for %j', async (body) => {
    expect(codeOf(await app.post(BUCKETS, body, as(storage.key)))).toBe('invalid_request');
  });

  it('returns 409 for a name that the organization has, and gives it to another organization', async () => {
    const { name } = await storage.bucket();
    const again = expectStatus(409, await app.post(BUCKETS, { name }, as(storage.key)));
    expect(codeOf(again)).toBe('already_exists');
    await storage.bucket({ name }, await storage.make.key(outsider));
  });

  it('returns 401 without a key, and 403 with a narrower one', async () => {
    expectStatus(401, await app.post(BUCKETS, { name: 'photos' }));
    const reader = await storage.make.key(storage.owner, { scopes: ['storage:read'] });
    expect(codeOf(expectStatus(403, await app.post(BUCKETS, { name: 'photos' }, as(reader))))).toBe(
      'insufficient_scopes',
    );
  });

  it('keeps to the limit of the plan, however many are created at once', async () => {
    const free = await storage.make.person();
    const key = await storage.make.key(free);
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => app.post(BUCKETS, { name: uniqueName('many') }, as(key))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(codeOf)).toEqual(Array.from({ length: 4 }, () => 'plan_limit_reached'));
  });
});

describe('PATCH and DELETE /storage/buckets/:bucket_id', () => {
  it('changes what is given, and nothing else', async () => {
    const bucket = await storage.bucket();
    const cors = [
      { origins: ['https://a.example'], methods: ['GET'], headers: [], expose_headers: [], max_age_seconds: 5 },
    ];
    const name = uniqueName('renamed');
    const changes = { name, visibility: 'public', cors, expire_after_days: 30 };
    const changed = expectStatus(200, await storage.patch(bucket.id, changes)).body.data;
    expect(changed).toMatchObject({
      ...changes,
      label: bucket.label,
      public_url: expect.stringContaining(bucket.label),
    });
    const cleared = expectStatus(200, await storage.patch(bucket.id, { expire_after_days: null })).body.data;
    expect(cleared).toMatchObject({ name, visibility: 'public', cors, expire_after_days: null });
  });

  it('moves a bucket to a project of the organization, and not to one of another', async () => {
    const bucket = await storage.bucket();
    const project = expectStatus(201, await app.post('/api/v1/projects', { name: 'Shop' }, as(storage.key))).body.data;
    expect(expectStatus(200, await storage.patch(bucket.id, { project_id: project.slug })).body.data.project_id).toBe(
      project.id,
    );
    const listed = expectStatus(200, await app.fetch(`${BUCKETS}?project_id=${project.id}`, as(storage.key))).body.data;
    expect(listed.map(({ id }: any) => id)).toEqual([bucket.id]);
    const theirs = expectStatus(
      201,
      await app.post('/api/v1/projects', { name: 'Shop' }, as(await storage.make.key(outsider))),
    );
    expect(codeOf(await storage.patch(bucket.id, { project_id: theirs.body.data.id }))).toBe('project_not_found');
    expect(expectStatus(200, await storage.patch(bucket.id, { project_id: null })).body.data.project_id).toBeNull();
  });

  it('deletes an empty bucket, and refuses one with objects', async () => {
    const { id } = await storage.bucket();
    expectStatus(200, await storage.put(id, 'a.txt', 'hello'));
    expect(codeOf(expectStatus(409, await app.call('DELETE', `${BUCKETS}/${id}`, as(storage.key))))).toBe(
      'bucket_not_empty',
    );
    expectStatus(204, await app.call('DELETE', `${BUCKETS}/${id}/objects/a.txt`, as(storage.key)));
    expectStatus(204, await app.call('DELETE', `${BUCKETS}/${id}`, as(storage.key)));
    expectStatus(404, await app.fetch(`${BUCKETS}/${id}`, as(storage.key)));
  });

  it('records what was done, and announces it', async () => {
    const { id } = await storage.bucket();
    expectStatus(204, await app.call('DELETE', `${BUCKETS}/${id}`, as(storage.key)));
    const path = `/api/v1/orgs/${storage.orgId}/audit-log?limit=2`;
    const entries = expectStatus(200, await app.fetch(path, as(storage.key))).body.data;
    expect(entries.map(({ action, target }: any) => [action, target.id])).toEqual([
      ['bucket.deleted', id],
      ['bucket.created', id],
    ]);
  });
});

describe('objects', () => {
  it('stores, returns, lists and deletes', async () => {
    const { id } = await storage.bucket();
    const stored = expectStatus(
      200,
      await storage.put(id, 'dir/a b.txt', 'hello', { headers: { 'x-amz-meta-by': 'ada' } }),
    );
    expect(stored.body.data).toEqual({
      key: 'dir/a%20b.txt'.replace('%20', ' '),
      size_bytes: 5,
      etag: '5d41402abc4b2a76b9719d911017c592',
      content_type: 'text/plain',
      metadata: { by: 'ada' },
      updated_at: expect.any(String),
      url: null,
    });
    const read = expectStatus(200, await storage.get(id, 'dir/a%20b.txt'));
    expect(read.text).toBe('hello');
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'text/plain',
      etag: '"5d41402abc4b2a76b9719d911017c592"',
      'x-amz-meta-by': 'ada',
      'content-disposition': 'attachment',
      'content-security-policy': "sandbox; default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expectStatus(200, await storage.put(id, 'b.txt', 'x'));
    const list = expectStatus(200, await app.fetch(`${BUCKETS}/${id}/objects?delimiter=/`, as(storage.key))).body;
    expect(list.data).toMatchObject({ objects: [{ key: 'b.txt' }], prefixes: ['dir/'] });
    expect(list.meta.has_more).toBe(false);
    expectStatus(204, await app.call('DELETE', `${BUCKETS}/${id}/objects/b.txt`, as(storage.key)));
    expectStatus(204, await app.call('DELETE', `${BUCKETS}/${id}/objects/b.txt`, as(storage.key)));
    expect(codeOf(expectStatus(404, await storage.get(id, 'b.txt')))).toBe('object_not_found');
  });

  it('pages through a list', async () => {
    const { id } = await storage.bucket();
    for (const key of ['a', 'b', 'c']) expectStatus(200, await storage.put(id, key, key));
    const first = expectStatus(200, await app.fetch(`${BUCKETS}/${id}/objects?limit=2`, as(storage.key))).body;
    expect(first.data.objects.map(({ key }: any) => key)).toEqual(['a', 'b']);
    const path = `${BUCKETS}/${id}/objects?limit=2&cursor=${first.meta.next_cursor}`;
    const second = expectStatus(200, await app.fetch(path, as(storage.key))).body;
    expect(second.data.objects.map(({ key }: any) => key)).toEqual(['c']);
    expect(second.meta.has_more).toBe(false);
    expectStatus(400, await app.fetch(`${BUCKETS}/${id}/objects?limit=1001`, as(storage.key)));
    expectStatus(400, await app.fetch(`${BUCKETS}/${id}/objects?cursor=*`, as(storage.key)));
  });

  it('answers HEAD, ranges and conditions', async () => {
    const { id } = await storage.bucket();
    expectStatus(200, await storage.put(id, 'a', '0123456789'));
    const head = await app.call('HEAD', `${BUCKETS}/${id}/objects/a`, as(storage.key));
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, '10', '']);
    const part = await storage.get(id, 'a', { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10']);
    expect(codeOf(expectStatus(416, await storage.get(id, 'a', { headers: { range: 'bytes=10-' } })))).toBe(
      'range_not_satisfiable',
    );
    const etag = head.headers.get('etag')!;
    expectStatus(304, await storage.get(id, 'a', { headers: { 'if-none-match': etag } }));
    expectStatus(412, await storage.get(id, 'a', { headers: { 'if-match': '"other"' } }));
    expectStatus(412, await storage.put(id, 'a', 'new', { headers: { 'if-none-match': '*' } }));
    expectStatus(412, await storage.put(id, 'a', 'new', { headers: { 'if-match': '"other"' } }));
    expectStatus(200, await storage.put(id, 'a', 'new', { headers: { 'if-match': etag } }));
  });

  it('checks the MD5, and stores nothing in a dry run', async () => {
    const { id } = await storage.bucket();
    const md5 = Buffer.from('5d41402abc4b2a76b9719d911017c592', 'hex').toString('base64');
    expect(codeOf(expectStatus(400, await storage.put(id, 'a', 'other', { headers: { 'content-md5': md5 } })))).toBe(
      'checksum_mismatch',
    );
    expectStatus(400, await storage.put(id, 'a', 'hello', { headers: { 'content-md5': 'AAAA' } }));
    const rehearsed = expectStatus(200, await storage.put(id, 'a', 'hello', { headers: { 'dry-run': 'true' } }));
    expect(rehearsed.body.meta.dry_run).toBe(true);
    expectStatus(404, await storage.get(id, 'a'));
    expectStatus(200, await storage.put(id, 'a', 'hello', { headers: { 'content-md5': md5 } }));
  });

  it('keeps keys exactly as they were sent', async () => {
    const { id } = await storage.bucket();
    const keys = ['a//b', 'a/%2F/b', 'ä', 'a\u0308', 'a/..%2Fb', '...'];
    for (const key of keys)
      expectStatus(
        200,
        await storage.put(
          id,
          key
            .split('/')
            .map((part) => encodeURIComponent(part))
            .join('/'),
          key,
        ),
      );
    const list = expectStatus(200, await app.fetch(`${BUCKETS}/${id}/objects`, as(storage.key))).body.data;
    expect(list.objects.map(({ key }: any) => key).sort()).toEqual([...keys].sort());
    expect(codeOf(expectStatus(400, await storage.put(id, 'a%00b', 'x')))).toBe('invalid_key');
    expectStatus(400, await storage.put(id, 'x'.repeat(1025), 'x'));
    expectStatus(200, await storage.put(id, 'x'.repeat(1024), 'x'));
  });

  it('adds up what is stored', async () => {
    const maker = await storage.make.person();
    const key = await storage.make.key(maker);
    const { id } = await storage.bucket({}, key);
    const put = (path: string, body: string): Promise<unknown> =>
      app.call('PUT', `${BUCKETS}/${id}/objects/${path}`, {
        headers: { ...as(key).headers, 'content-type': 'text/plain' },
        body,
      });
    await put('a', '12345');
    await put('b', '123');
    await put('a', '1');
    expect(expectStatus(200, await app.fetch(`${STORAGE}/usage`, as(key))).body.data).toEqual({
      size_bytes: 4,
      reserved_bytes: 0,
      quota_bytes: 1e9,
      buckets: 1,
      buckets_limit: 10,
    });
    expect(expectStatus(200, await app.fetch(`${BUCKETS}/${id}`, as(key))).body.data).toMatchObject({
      size_bytes: 4,
      object_count: 2,
    });
  });
});

describe('a bucket of another organization', () => {
  it('answers in every way as one that never was', async () => {
    const { id } = await storage.bucket();
    expectStatus(200, await storage.put(id, 'a', 'secret'));
    const key = await storage.make.key(outsider);
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'mine-now' }],
      ['DELETE', ''],
      ['GET', '/objects'],
      ['GET', '/objects/a'],
      ['HEAD', '/objects/a'],
      ['PUT', '/objects/a', {}],
      ['DELETE', '/objects/a'],
      ['POST', '/sign', { method: 'GET', key: 'a' }],
      ['POST', '/uploads', { key: 'a', size_bytes: 1 }],
      ['GET', '/uploads/mpu_1'],
      ['POST', '/uploads/mpu_1/parts', { numbers: [1] }],
      ['POST', '/uploads/mpu_1/complete'],
      ['DELETE', '/uploads/mpu_1'],
      ['GET', '/attachments'],
      ['PUT', '/attachments/prj_1', {}],
      ['DELETE', '/attachments/prj_1'],
    ];
    for (const [method, path, body] of calls) {
      const ask = (bucketId: string): Promise<any> =>
        body === undefined
          ? app.call(method, `${BUCKETS}/${bucketId}${path}`, as(key))
          : send(app, [method, `${BUCKETS}/${bucketId}${path}`], body, as(key));
      const [theirs, unknown] = [await ask(id), await ask('bkt_01jd3m8yeqf5rb0xkq5ym8s6tn')];
      expect([method, path, theirs.status]).toEqual([method, path, 404]);
      expect(theirs.body?.error).toEqual(unknown.body?.error);
    }
    const listed = expectStatus(200, await app.fetch(BUCKETS, as(key))).body.data;
    expect(listed.map((bucket: any) => bucket.id)).not.toContain(id);
  });
});
