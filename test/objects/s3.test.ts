import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  type S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Make } from '../support/make.js';
import { clientOf, keyPair, requireSums } from '../support/storage.js';
import { useApp } from '../support/test-app.js';

const MIB = 1_048_576;

describe('S3, by the AWS SDK', () => {
  const app = useApp();
  const make = new Make(app);
  let s3: S3Client;

  beforeAll(async () => {
    s3 = clientOf(app, await keyPair(app, await make.person({ plan: 'pro' })));
    await s3.send(new CreateBucketCommand({ Bucket: 'photos' }));
  });
  afterAll(() => {
    s3.destroy();
  });
  afterEach(() => requireSums(app));

  const get = async (key: string, more: object = {}): Promise<Buffer> => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'photos', Key: key, ...more }));
    return Buffer.from(await Body!.transformToByteArray());
  };
  const put = (key: string, body: string | Buffer, more: object = {}): Promise<unknown> =>
    s3.send(new PutObjectCommand({ Bucket: 'photos', Key: key, Body: body, ...more }));
  const failure = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => {
        const { name, $metadata } = error as S3ServiceException;
        return $metadata.httpStatusCode === 304 ? '304' : name;
      },
    );

  it('creates, lists and deletes buckets', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'second' }));
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets!.map(({ Name }) => Name)).toEqual(['photos', 'second']);
    expect(await failure(s3.send(new CreateBucketCommand({ Bucket: 'second' })))).toBe('BucketAlreadyOwnedByYou');
    await s3.send(new HeadBucketCommand({ Bucket: 'second' }));
    await s3.send(new GetBucketLocationCommand({ Bucket: 'second' }));
    await s3.send(new DeleteBucketCommand({ Bucket: 'second' }));
    expect(await failure(s3.send(new HeadBucketCommand({ Bucket: 'second' })))).toBe('NotFound');
    expect(await failure(s3.send(new CreateBucketCommand({ Bucket: 'No' })))).toBe('InvalidBucketName');
  });

  it('stores and returns objects with what was said about them', async () => {
    const key = "a b/ü+%!'()*&=?#~😀/../x//";
    await put(key, 'hello', {
      ContentType: 'text/plain',
      Metadata: { colour: 'blue' },
      CacheControl: 'max-age=60',
      ContentDisposition: 'inline',
      ContentEncoding: 'identity',
    });
    const found = await s3.send(new GetObjectCommand({ Bucket: 'photos', Key: key, ChecksumMode: 'ENABLED' }));
    expect(await found.Body!.transformToString()).toBe('hello');
    expect(found).toMatchObject({
      ContentType: 'text/plain',
      ContentLength: 5,
      ETag: `"${createHash('md5').update('hello').digest('hex')}"`,
      Metadata: { colour: 'blue' },
      CacheControl: 'max-age=60',
      ContentDisposition: 'inline',
      ContentEncoding: 'identity',
      ChecksumCRC32: 'NhCmhg==',
      ChecksumType: 'FULL_OBJECT',
    });
    const head = await s3.send(new HeadObjectCommand({ Bucket: 'photos', Key: key }));
    expect(head).toMatchObject({ ContentLength: 5, ContentType: 'text/plain', Metadata: { colour: 'blue' } });
  });

  it('takes streams in signed and unsigned chunks, and every checksum', async () => {
    const body = randomBytes(300_000);
    for (const algorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const) {
      await s3.send(
        new PutObjectCommand({
          Bucket: 'photos',
          Key: `sum/${algorithm}`,
          Body: Readable.from([body.subarray(0, 100_000), body.subarray(100_000)]),
          ContentLength: body.length,
          ChecksumAlgorithm: algorithm,
        }),
      );
      expect((await get(`sum/${algorithm}`, { ChecksumMode: 'ENABLED' })).equals(body)).toBe(true);
    }
  });

  it('returns ranges, and honours conditions', async () => {
    await put('range', '0123456789');
    const { ETag, LastModified } = await s3.send(new HeadObjectCommand({ Bucket: 'photos', Key: 'range' }));
    expect((await get('range', { Range: 'bytes=2-4' })).toString()).toBe('234');
    expect((await get('range', { Range: 'bytes=-3' })).toString()).toBe('789');
    expect((await get('range', { Range: 'bytes=8-' })).toString()).toBe('89');
    expect((await get('range', { Range: 'bytes=0-1,3-4' })).toString()).toBe('0123456789');
    expect(await failure(get('range', { Range: 'bytes=10-' }))).toBe('InvalidRange');
    expect(await failure(get('range', { IfNoneMatch: ETag }))).toBe('304');
    expect(await failure(get('range', { IfModifiedSince: LastModified }))).toBe('304');
    expect(await failure(get('range', { IfMatch: '"no"' }))).toBe('PreconditionFailed');
    expect(await failure(get('range', { IfUnmodifiedSince: new Date(0) }))).toBe('PreconditionFailed');
    expect(await failure(put('range', 'x', { IfNoneMatch: '*' }))).toBe('PreconditionFailed');
    await put('range', 'new', { IfMatch: ETag });
    expect(await failure(put('range', 'x', { IfMatch: ETag }))).toBe('PreconditionFailed');
    expect((await get('range')).toString()).toBe('new');
  });

  it('stores empty objects', async () => {
    await put('empty', '');
    expect((await get('empty')).length).toBe(0);
    expect(await failure(get('empty', { Range: 'bytes=0-0' }))).toBe('InvalidRange');
  });

  it('deletes one and many', async () => {
    for (const key of ['d/1', 'd/2', 'd/3']) await put(key, key);
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'd/1' }));
    await s3.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'd/1' }));
    const { Deleted } = await s3.send(
      new DeleteObjectsCommand({
        Bucket: 'photos',
        Delete: { Objects: [{ Key: 'd/2' }, { Key: 'd/3' }, { Key: 'd/4' }] },
      }),
    );
    expect(Deleted!.map(({ Key }) => Key)).toEqual(['d/2', 'd/3', 'd/4']);
    expect(await failure(get('d/2'))).toBe('NoSuchKey');
  });

  it('copies, and replaces what is said about an object', async () => {
    await put('from', 'bytes', { ContentType: 'text/css', Metadata: { a: '1' } });
    await s3.send(new CopyObjectCommand({ Bucket: 'photos', Key: 'to ü', CopySource: 'photos/from' }));
    expect(await s3.send(new HeadObjectCommand({ Bucket: 'photos', Key: 'to ü' }))).toMatchObject({
      ContentType: 'text/css',
      Metadata: { a: '1' },
    });
    const replaced = { Bucket: 'photos', Key: 'from', CopySource: 'photos/from', ContentType: 'text/plain' };
    expect(await failure(s3.send(new CopyObjectCommand(replaced)))).toBe('InvalidRequest');
    await s3.send(new CopyObjectCommand({ ...replaced, MetadataDirective: 'REPLACE' }));
    const head = await s3.send(new HeadObjectCommand({ Bucket: 'photos', Key: 'from' }));
    expect(head).toMatchObject({ ContentType: 'text/plain', Metadata: {} });
    expect((await get('to ü')).toString()).toBe('bytes');
    expect(
      await failure(s3.send(new CopyObjectCommand({ Bucket: 'photos', Key: 'x', CopySource: 'photos/none' }))),
    ).toBe('NoSuchKey');
  });

  it('leaves no file open for a copy that is refused', async () => {
    const objects = join(app.dataDirectory, 'objects');
    const open = (): string[] =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const path = readlinkSync(`/proc/self/fd/${fd}`);
          return path.startsWith(objects) ? [path] : [];
        } catch {
          return [];
        }
      });
    await put('source', 'bytes');
    await put('there', 'bytes');
    const copy = { Bucket: 'photos', Key: 'there', CopySource: 'photos/source', IfNoneMatch: '*' };
    for (let count = 0; count < 10; count++)
      expect(await failure(s3.send(new CopyObjectCommand(copy)))).toBe('PreconditionFailed');
    expect(open()).toEqual([]);
  });

  it('lists by pages, with prefixes and delimiters', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'lists' }));
    const keys = ['a', 'b/1', 'b/2', 'b/3/x', 'b0', 'c/', 'c/1', 'é', '\u0001x'].sort((one, other) =>
      Buffer.compare(Buffer.from(one), Buffer.from(other)),
    );
    for (const key of keys) await s3.send(new PutObjectCommand({ Bucket: 'lists', Key: key, Body: key }));
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await s3.send(
        new ListObjectsV2Command({ Bucket: 'lists', MaxKeys: 2, ContinuationToken: token, EncodingType: 'url' }),
      );
      seen.push(...(page.Contents ?? []).map(({ Key }) => decodeURIComponent(Key!)));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    expect(seen).toEqual(keys);
    const grouped = await s3.send(new ListObjectsV2Command({ Bucket: 'lists', Delimiter: '/', StartAfter: 'a' }));
    expect(grouped.Contents!.map(({ Key }) => Key)).toEqual(['b0', 'é']);
    expect(grouped.CommonPrefixes!.map(({ Prefix }) => Prefix)).toEqual(['b/', 'c/']);
    const first = await s3.send(new ListObjectsCommand({ Bucket: 'lists', Prefix: 'b/', Delimiter: '/', MaxKeys: 2 }));
    expect(first).toMatchObject({ IsTruncated: true, NextMarker: 'b/2' });
    const second = await s3.send(
      new ListObjectsCommand({ Bucket: 'lists', Prefix: 'b/', Delimiter: '/', Marker: first.NextMarker }),
    );
    expect(second.CommonPrefixes!.map(({ Prefix }) => Prefix)).toEqual(['b/3/']);
  });

  it('uploads in parts, with ranges across them and a checksum of the whole', async () => {
    const body = randomBytes(5 * MIB + 5 * MIB + 1_234);
    const named = { Bucket: 'photos', Key: 'parts' };
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ ...named, ContentType: 'video/mp4', ChecksumAlgorithm: 'CRC64NVME' }),
    );
    const cuts = [0, 5 * MIB, 10 * MIB, body.length];
    const Parts: CompletedPart[] = [];
    for (const number of [3, 1, 2]) {
      const part = await s3.send(
        new UploadPartCommand({
          ...{ ...named, UploadId, PartNumber: number, ChecksumAlgorithm: 'CRC64NVME' },
          Body: body.subarray(cuts[number - 1], cuts[number]),
        }),
      );
      Parts.push({ PartNumber: number, ETag: part.ETag, ChecksumCRC64NVME: part.ChecksumCRC64NVME });
    }
    Parts.sort((one, other) => one.PartNumber! - other.PartNumber!);
    const { Parts: listed } = await s3.send(new ListPartsCommand({ ...named, UploadId }));
    expect(listed!.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
      [1, 5 * MIB],
      [2, 5 * MIB],
      [3, 1_234],
    ]);
    const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket: 'photos' }));
    expect(Uploads!.map((upload) => upload.UploadId)).toEqual([UploadId]);
    const complete = (parts: typeof Parts): Promise<unknown> =>
      s3.send(new CompleteMultipartUploadCommand({ ...named, UploadId, MultipartUpload: { Parts: parts } }));
    expect(await failure(complete([...Parts].reverse()))).toBe('InvalidPartOrder');
    expect(await failure(complete([{ ...Parts[0]!, ETag: '"0"' }]))).toBe('InvalidPart');
    expect(await complete(Parts)).toMatchObject({ ETag: expect.stringMatching(/^"[0-9a-f]{32}-3"$/) });
    // A client that saw no answer asks again.
    await complete(Parts);
    expect((await get('parts', { ChecksumMode: 'ENABLED' })).equals(body)).toBe(true);
    const from = 5 * MIB - 10;
    const range = await get('parts', { Range: `bytes=${from}-${10 * MIB + 10}` });
    expect(range.equals(body.subarray(from, 10 * MIB + 11))).toBe(true);
    expect((await get('parts', { PartNumber: 3 })).equals(body.subarray(10 * MIB))).toBe(true);

    await s3.send(new CopyObjectCommand({ Bucket: 'photos', Key: 'parts copied', CopySource: 'photos/parts' }));
    expect((await get('parts copied')).equals(body)).toBe(true);
  });

  it('completes an upload with the parts that are listed and no others, in their order', async () => {
    const named = { Bucket: 'photos', Key: 'chosen parts' };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(named));
    const bodies = [randomBytes(5 * MIB), randomBytes(5 * MIB), Buffer.from('third'), Buffer.from('fourth')];
    const parts: CompletedPart[] = [];
    for (const [index, Body] of bodies.entries()) {
      const PartNumber = index + 1;
      const { ETag } = await s3.send(new UploadPartCommand({ ...named, UploadId, PartNumber, Body }));
      parts.push({ PartNumber, ETag });
    }
    const [first, second, third, fourth] = parts as [CompletedPart, CompletedPart, CompletedPart, CompletedPart];
    const complete = (...Parts: CompletedPart[]): Promise<string> =>
      failure(s3.send(new CompleteMultipartUploadCommand({ ...named, UploadId, MultipartUpload: { Parts } })));
    expect(await complete(first, { PartNumber: 5, ETag: second.ETag })).toBe('InvalidPart');
    expect(await complete(first, { PartNumber: 2, ETag: first.ETag })).toBe('InvalidPart');
    expect(await complete({ PartNumber: 0, ETag: first.ETag })).toBe('InvalidPart');
    expect(await complete(second, first)).toBe('InvalidPartOrder');
    expect(await complete(first, first)).toBe('InvalidPartOrder');
    expect(await complete(third, fourth)).toBe('EntityTooSmall');
    expect(await complete()).toBe('MalformedXML');
    expect(await failure(get(named.Key))).toBe('NoSuchKey');
    // What was refused has changed nothing.
    const listed = (await s3.send(new ListPartsCommand({ ...named, UploadId }))).Parts!;
    expect(listed.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))).toEqual(parts);

    expect(await complete(first, third)).toBe('none');
    expect((await get(named.Key)).equals(Buffer.concat([bodies[0]!, bodies[2]!]))).toBe(true);
    await requireSums(app);
    // A client that saw no answer asks for the same again. Anything else comes too late.
    expect(await complete(first, third)).toBe('none');
    expect(await complete(first, second)).toBe('NoSuchUpload');
  });

  it('copies parts, and aborts uploads', async () => {
    const body = randomBytes(6 * MIB);
    await put('source', body);
    const named = { Bucket: 'photos', Key: 'assembled' };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(named));
    const { CopyPartResult } = await s3.send(
      new UploadPartCopyCommand({
        ...{ ...named, UploadId, PartNumber: 1, CopySource: '/photos/source' },
        CopySourceRange: `bytes=100-${5 * MIB + 99}`,
      }),
    );
    const last = await s3.send(new UploadPartCommand({ ...named, UploadId, PartNumber: 2, Body: 'end' }));
    await s3.send(
      new CompleteMultipartUploadCommand({
        ...{ ...named, UploadId },
        MultipartUpload: {
          Parts: [
            { PartNumber: 1, ETag: CopyPartResult!.ETag },
            { PartNumber: 2, ETag: last.ETag },
          ],
        },
      }),
    );
    const expected = Buffer.concat([body.subarray(100, 5 * MIB + 100), Buffer.from('end')]);
    expect((await get('assembled')).equals(expected)).toBe(true);

    const other = await s3.send(new CreateMultipartUploadCommand(named));
    const part = { ...named, UploadId: other.UploadId, PartNumber: 1 };
    await s3.send(new UploadPartCommand({ ...part, Body: 'x' }));
    await s3.send(new UploadPartCommand({ ...part, Body: 'yy' }));
    await s3.send(new AbortMultipartUploadCommand({ ...named, UploadId: other.UploadId }));
    expect(await failure(s3.send(new UploadPartCommand({ ...part, Body: 'x' })))).toBe('NoSuchUpload');
  });

  it('keeps CORS rules, and says so where something is not supported', async () => {
    expect(await failure(s3.send(new GetBucketCorsCommand({ Bucket: 'photos' })))).toBe('NoSuchCORSConfiguration');
    const CORSRules = [
      { AllowedOrigins: ['https://a.test'], AllowedMethods: ['GET'], AllowedHeaders: ['*'], MaxAgeSeconds: 60 },
    ];
    await s3.send(new PutBucketCorsCommand({ Bucket: 'photos', CORSConfiguration: { CORSRules } }));
    expect((await s3.send(new GetBucketCorsCommand({ Bucket: 'photos' }))).CORSRules).toEqual(CORSRules);
    expect(await failure(s3.send(new GetBucketAclCommand({ Bucket: 'photos' })))).toBe('NotImplemented');
    expect(await failure(put('public', 'x', { ACL: 'public-read' }))).toBe('NotImplemented');
  });

  it('does nothing where tags, policies or versions are asked for', async () => {
    const Bucket = 'photos';
    await put('plain', 'first');
    const object = { Bucket, Key: 'plain' };
    const Tagging = { TagSet: [{ Key: 'a', Value: 'b' }] };
    for (const work of [
      s3.send(new PutObjectTaggingCommand({ ...object, Tagging })),
      s3.send(new GetObjectTaggingCommand(object)),
      s3.send(new PutBucketPolicyCommand({ Bucket, Policy: '{}' })),
      s3.send(new GetBucketPolicyCommand({ Bucket })),
      s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } })),
      s3.send(new ListObjectVersionsCommand({ Bucket })),
      s3.send(new GetObjectCommand({ ...object, VersionId: 'v1' })),
      s3.send(new DeleteObjectCommand({ ...object, VersionId: 'v1' })),
      put('plain', 'second', { Tagging: 'a=b' }),
      put('plain', 'second', { GrantRead: 'uri="http://acs.amazonaws.com/groups/global/AllUsers"' }),
    ])
      expect(await failure(work)).toBe('NotImplemented');
    expect((await get('plain')).toString()).toBe('first');
  });

  it('overrides headers of an answer as a signed request says, and shows no document for it', async () => {
    await put('page', '<script>1</script>', { ContentType: 'text/plain' });
    const read = (more: object): Promise<object> =>
      s3.send(new GetObjectCommand({ Bucket: 'photos', Key: 'page', ...more }));
    const overrides = {
      ResponseCacheControl: 'no-store',
      ResponseContentDisposition: 'inline; filename="a.txt"',
      ResponseContentLanguage: 'de',
      ResponseContentType: 'text/css',
    };
    expect(await read(overrides)).toMatchObject({
      CacheControl: 'no-store',
      ContentDisposition: 'inline; filename="a.txt"',
      ContentLanguage: 'de',
      ContentType: 'text/css',
    });
    expect(await read({ ...overrides, ResponseContentType: 'text/html' })).toMatchObject({
      ContentType: 'text/html',
      ContentDisposition: 'attachment; filename="a.txt"',
    });
    expect(await failure(read({ ResponseContentType: 'a\nb' }))).toBe('InvalidArgument');
  });
});
