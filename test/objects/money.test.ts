import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  type S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, type Person, send } from '../support/make.js';
import { clientOf, requireSums } from '../support/storage.js';
import { BUCKETS, Storing } from '../support/storing.js';
import { type Answer, useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
let maker: Person;
let key: string;
let bucket: { id: string; label: string };
let s3: S3Client;

beforeEach(async () => {
  maker = await storage.make.person();
  key = await storage.make.key(maker);
  bucket = await storage.bucket({}, key);
  s3 = clientOf(app, await storage.accessKey({}, key));
});
afterEach(() => {
  s3.destroy();
  jest.restoreAllMocks();
});

const orgId = (): string => maker.organization.id;
const path = (rest: string): string => `${BUCKETS}/${bucket.id}${rest}`;
const put = (name: string, body = 'hello'): Promise<Answer> =>
  app.call('PUT', path(`/objects/${name}`), { ...as(key), body });
const post = (rest: string, body: object = {}): Promise<Answer> => app.post(path(rest), body, as(key));
const json = ({ status, body }: Answer): unknown => [status, body?.error?.code];
const at = (name: string): { Bucket: string; Key: string } => ({ Bucket: bucket.label, Key: name });
const source = (): { CopySource: string } => ({ CopySource: `${bucket.label}/a` });

const byS3 = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      const { name, $metadata } = error as S3ServiceException;
      return [$metadata.httpStatusCode, name];
    },
  );

/** What a process knows of credits is a few seconds old. */
const later = (ms = 10_000): void => {
  const passed = new Date(Date.now() + ms);
  jest.spyOn(app.get(Clock), 'now').mockImplementation(() => passed);
};

interface NamedUpload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
}

/** An upload in parts of S3 with its first part. */
async function begunByS3(name: string): Promise<{ named: NamedUpload; complete: () => Promise<unknown> }> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at(name)));
  const named: NamedUpload = { ...at(name), UploadId: UploadId! };
  const { ETag } = await s3.send(new UploadPartCommand({ ...named, PartNumber: 1, Body: 'part' }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  return {
    named,
    complete: () => byS3(s3.send(new CompleteMultipartUploadCommand({ ...named, MultipartUpload }))),
  };
}

/** An upload in parts of the API, with the link of its only part, which was sent. */
async function begunByApi(name: string): Promise<{ id: string; sendAgain: () => Promise<unknown> }> {
  const id = expectStatus(201, await post('/uploads', { key: name, size_bytes: 4 })).body.data.upload_id as string;
  const [{ url }] = expectStatus(200, await post(`/uploads/${id}/parts`, { numbers: [1] })).body.data;
  const sendPart = async (): Promise<unknown> => {
    const { status, text } = await storage.follow(url as string, { method: 'PUT', body: 'part' });
    return [status, /<Code>(\w+)<\/Code>/.exec(text)?.[1]];
  };
  expect(await sendPart()).toEqual([200, undefined]);
  return { id, sendAgain: sendPart };
}

it('refuses writes in every way without credits, while reads and deletions go on', async () => {
  for (const name of ['a', 'b', 'c']) expectStatus(200, await put(name));
  const ofS3 = await begunByS3('parts');
  const ofApi = await begunByApi('sent');
  await storage.make.spendCredits(orgId());
  later();

  const refusedByApi = [402, 'credits_exhausted'];
  expect(json(await put('d'))).toEqual(refusedByApi);
  expect(json(await put('empty', ''))).toEqual(refusedByApi);
  expect(json(await post('/uploads', { key: 'd', size_bytes: 1 }))).toEqual(refusedByApi);
  expect(json(await post(`/uploads/${ofApi.id}/complete`))).toEqual(refusedByApi);
  const refusedByS3 = [402, 'InsufficientCredits'];
  expect(await ofApi.sendAgain()).toEqual(refusedByS3);
  const { named } = ofS3;
  for (const work of [
    s3.send(new PutObjectCommand({ ...at('d'), Body: 'hello' })),
    s3.send(new CopyObjectCommand({ ...at('d'), ...source() })),
    s3.send(new UploadPartCommand({ ...named, PartNumber: 2, Body: 'x' })),
    s3.send(new UploadPartCopyCommand({ ...named, PartNumber: 2, ...source() })),
  ])
    expect(await byS3(work)).toEqual(refusedByS3);
  expect(await ofS3.complete()).toEqual(refusedByS3);

  expect((await app.fetch(path('/objects/a'), as(key))).text).toBe('hello');
  expectStatus(200, await app.call('HEAD', path('/objects/a'), as(key)));
  expect(await (await s3.send(new GetObjectCommand(at('a')))).Body!.transformToString()).toBe('hello');
  expectStatus(204, await app.call('DELETE', path('/objects/b'), as(key)));
  await s3.send(new DeleteObjectCommand(at('c')));
  await s3.send(new AbortMultipartUploadCommand(named));
  expectStatus(204, await app.call('DELETE', path(`/uploads/${ofApi.id}`), as(key)));
  const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket.label }));
  expect(Contents!.map(({ Key }) => Key)).toEqual(['a']);

  // A plan that bills usage counts at once.
  await storage.make.plan(orgId(), 'builder');
  expectStatus(200, await put('d'));
  await requireSums(app);
});

it('refuses writes beyond the spend cap, and no others of a plan that bills usage', async () => {
  await storage.make.plan(orgId(), 'builder');
  await storage.make.spendCredits(orgId());
  const cap = (amount: string | null): Promise<Answer> =>
    send(app, ['PUT', '/api/v1/billing/spend-cap'], { amount }, as(maker));
  expectStatus(200, await put('a'));
  const upload = await begunByS3('parts');
  expectStatus(200, await cap('0'));
  later();
  expect(json(await put('b'))).toEqual([402, 'spend_cap_reached']);
  expect(json(await post('/uploads', { key: 'b', size_bytes: 1 }))).toEqual([402, 'spend_cap_reached']);
  expect(await byS3(s3.send(new PutObjectCommand({ ...at('b'), Body: 'x' })))).toEqual([402, 'InsufficientCredits']);
  expect(await upload.complete()).toEqual([402, 'InsufficientCredits']);
  expect((await app.fetch(path('/objects/a'), as(key))).text).toBe('hello');
  expectStatus(204, await app.call('DELETE', path('/objects/a'), as(key)));
  jest.restoreAllMocks();
  expectStatus(200, await cap(null));
  later(20_000);
  expect(await upload.complete()).toBe('done');
});
