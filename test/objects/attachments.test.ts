import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ObjectAccess } from '../../src/modules/objects/object-access.js';
import { as, expectStatus, send, uniqueName } from '../support/make.js';
import { clientOf } from '../support/storage.js';
import { ACCESS_KEYS, BUCKETS, Storing } from '../support/storing.js';
import { eventually, useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
let bucket: any;
let project: any;

const projectOf = async (key = storage.key): Promise<any> =>
  expectStatus(201, await app.post('/api/v1/projects', { name: uniqueName('Shop') }, as(key))).body.data;
const at = (projectId: string, bucketId = bucket.id as string): string =>
  `${BUCKETS}/${bucketId}/attachments/${projectId}`;
const attach = (body: object = {}, path = at(project.id as string)): ReturnType<typeof send> =>
  send(app, ['PUT', path], body, as(storage.key));
const variables = async (target: 'production' | 'preview' = 'production'): Promise<Record<string, string>> =>
  (await app.get(ObjectAccess).attachmentsOf(project.id as string, target))[0]?.variables ?? {};
const keyPairIn = (from: Record<string, string>): { id: string; secret: string } => ({
  id: from['STORAGE_ACCESS_KEY_ID']!,
  secret: from['STORAGE_SECRET_ACCESS_KEY']!,
});

beforeAll(() => storage.begin());
beforeEach(async () => {
  bucket = await storage.bucket();
  project = await projectOf();
});

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: unknown) => (error as Error).name,
  );
const write = (pair: { id: string; secret: string }, label = bucket.label as string): Promise<string> =>
  codeOf(clientOf(app, pair).send(new PutObjectCommand({ Bucket: label, Key: 'a', Body: 'x' })));

it('gives deploys of its targets the address of the bucket and a key pair for it alone', async () => {
  const attachment = expectStatus(200, await attach({ targets: ['production'] })).body.data;
  expect(attachment).toMatchObject({
    bucket_id: bucket.id,
    project_id: project.id,
    prefix: 'STORAGE',
    access: 'write',
    targets: ['production'],
  });
  const given = await variables();
  expect(given).toEqual({
    STORAGE_ENDPOINT: bucket.s3.endpoint,
    STORAGE_BUCKET: bucket.label,
    STORAGE_REGION: 'us-east-1',
    STORAGE_ACCESS_KEY_ID: attachment.access_key_id,
    STORAGE_SECRET_ACCESS_KEY: expect.stringMatching(/^[\w-]{40}$/),
    AWS_ENDPOINT_URL_S3: bucket.s3.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: attachment.access_key_id,
    AWS_SECRET_ACCESS_KEY: given['STORAGE_SECRET_ACCESS_KEY'],
  });
  expect(await variables('preview')).toEqual({});
  expect(await write(keyPairIn(given))).toBe('ok');
  expect(await write(keyPairIn(given), (await storage.bucket()).label as string)).toBe('NoSuchBucket');
  expect(JSON.stringify(app.log())).not.toContain(given['STORAGE_SECRET_ACCESS_KEY']);
});

it('names the public address, and only its own variables with another prefix', async () => {
  expectStatus(200, await storage.patch(bucket.id as string, { visibility: 'public' }));
  expectStatus(200, await attach({ prefix: 'MEDIA', access: 'read' }));
  const given = await variables();
  expect(Object.keys(given).sort()).toEqual(
    ['ACCESS_KEY_ID', 'BUCKET', 'ENDPOINT', 'PUBLIC_URL', 'REGION', 'SECRET_ACCESS_KEY'].map((name) => `MEDIA_${name}`),
  );
  const pair = { id: given['MEDIA_ACCESS_KEY_ID']!, secret: given['MEDIA_SECRET_ACCESS_KEY']! };
  expect(await write(pair)).toBe('AccessDenied');
  expectStatus(200, await storage.put(bucket.id as string, 'a', 'x'));
  expect(await codeOf(clientOf(app, pair).send(new GetObjectCommand({ Bucket: bucket.label, Key: 'a' })))).toBe('ok');
});

it('keeps the key pair in a change, but for one of the access, and refuses a prefix that is taken', async () => {
  expectStatus(200, await attach());
  const before = keyPairIn(await variables());
  expectStatus(200, await attach({ targets: ['preview'] }));
  expect(keyPairIn(await variables('preview'))).toEqual(before);
  expectStatus(200, await attach({ access: 'read' }));
  expect(await write(before)).toBe('InvalidAccessKeyId');
  const other = await storage.bucket();
  const taken = await attach({}, at(project.id as string, other.id as string));
  expect([taken.status, taken.body.error.code]).toEqual([409, 'already_exists']);
  expectStatus(200, await attach({ prefix: 'OTHER' }, at(project.id as string, other.id as string)));
  expect(await app.get(ObjectAccess).attachmentsOf(project.id as string, 'preview')).toHaveLength(2);
});

it('ends the key pair when it is detached', async () => {
  const attachment = expectStatus(200, await attach()).body.data;
  const pair = keyPairIn(await variables());
  expect(await write(pair)).toBe('ok');
  const refused = await app.call('DELETE', `${ACCESS_KEYS}/${attachment.access_key_id as string}`, as(storage.key));
  expect([refused.status, refused.body.error.code]).toEqual([409, 'access_key_attached']);
  expectStatus(204, await app.call('DELETE', at(project.id as string), as(storage.key)));
  expect(await write(pair)).toBe('InvalidAccessKeyId');
  const again = await app.call('DELETE', at(project.id as string), as(storage.key));
  expect([again.status, again.body.error.code]).toEqual([404, 'bucket_not_attached']);
  expect(
    expectStatus(200, await app.fetch(`${BUCKETS}/${bucket.id as string}/attachments`, as(storage.key))).body.data,
  ).toEqual([]);
});

it('ends with its bucket, and with its project, whose bucket stays', async () => {
  expectStatus(200, await attach());
  expectStatus(204, await app.call('DELETE', `${BUCKETS}/${bucket.id as string}`, as(storage.key)));
  expect(await variables()).toEqual({});
  bucket = await storage.bucket({ project_id: project.id });
  expectStatus(200, await attach());
  const pair = keyPairIn(await variables());
  expect(await write(pair)).toBe('ok');
  expectStatus(204, await app.call('DELETE', `/api/v1/projects/${project.id as string}`, as(storage.key)));
  await eventually(async () => (await write(pair)) === 'InvalidAccessKeyId', 'the key pair has ended', 15_000);
  const left = expectStatus(200, await app.fetch(`${BUCKETS}/${bucket.id as string}`, as(storage.key))).body.data;
  expect(left).toMatchObject({ project_id: null, object_count: 1 });
});

it.each([{ prefix: 'lower' }, { prefix: '1A' }, { access: 'admin' }, { targets: [] }, { targets: ['staging'] }])(
  'returns 400 for %j',
  async (body) => {
    expectStatus(400, await attach(body));
  },
);

it('returns 401 and 403 without permission, and 404 for a project of another organization', async () => {
  expectStatus(401, await send(app, ['PUT', at(project.id as string)], {}));
  const narrow = await storage.make.key(storage.owner, { scopes: ['storage:*'] });
  expectStatus(403, await send(app, ['PUT', at(project.id as string)], {}, as(narrow)));
  const theirs = await projectOf(await storage.make.key(await storage.make.person()));
  expectStatus(404, await attach({}, at(theirs.id as string)));
});
