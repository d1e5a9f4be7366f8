import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  type S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { as, expectStatus } from '../support/make.js';
import { BUCKETS, Storing } from '../support/storing.js';
import type { Answer, TestApp } from '../support/test-app.js';
import {
  type Act,
  byBytes,
  type Condition,
  type Face,
  listedObject,
  md5Of,
  type NamedPart,
  type Range,
  seen,
} from './object-model.js';

type ListAct = Extract<Act, { act: 'list' }>;

/** The codes of S3 for those of the API. */
const S3_CODES: Readonly<Record<string, string>> = {
  invalid_part: 'InvalidPart',
  object_changed: 'PreconditionFailed',
  object_not_found: 'NoSuchKey',
  object_upload_not_found: 'NoSuchUpload',
  range_not_satisfiable: 'InvalidRange',
};

interface BegunUpload {
  readonly id: string;
  readonly key: string;
}

/** Does what a model does on a bucket of the service, over S3 and over the API, and answers in the same words. */
export class ObjectCaller {
  private readonly uploads: BegunUpload[] = [];
  private readonly path: string;

  constructor(
    private readonly app: TestApp,
    private readonly s3: S3Client,
    private readonly apiKey: string,
    private readonly bucket: { readonly id: string; readonly label: string },
  ) {
    this.path = `${BUCKETS}/${bucket.id}`;
  }

  /** @param listed the parts that a completion names. */
  async answer(act: Act, listed: readonly NamedPart[] = []): Promise<unknown> {
    switch (act.act) {
      case 'put':
        return this.put(act.face, act.key, act.body, act.condition);
      case 'get':
        return this.get(act.face, act.key, act.range);
      case 'copy':
        return this.copy(act.from, act.to);
      case 'delete':
        if (act.face === 's3') return this.sent(this.s3.send(new DeleteObjectCommand(this.at(act.key))));
        return outcomeOf(await this.call('DELETE', objectPath(act.key)));
      case 'delete many': {
        const Objects = act.keys.map((Key) => ({ Key }));
        return this.sent(this.s3.send(new DeleteObjectsCommand({ Bucket: this.bucket.label, Delete: { Objects } })));
      }
      case 'list':
        return act.face === 's3' ? this.listByS3(act) : this.listByApi(act);
      case 'read and overwrite':
        return this.readAndOverwrite(act.key, act.body);
      case 'begin':
        return this.begin(act.key, act.announced);
      case 'part':
        return act.isByLink ? this.partByLink(act) : this.part(act);
      case 'copy part':
        return this.copyPart(act);
      case 'complete':
        return this.complete(act.face, act.upload, listed);
      case 'abort': {
        if (act.face === 's3')
          return this.sent(this.s3.send(new AbortMultipartUploadCommand(this.uploadAt(act.upload))));
        return outcomeOf(await this.call('DELETE', `/uploads/${this.uploads[act.upload]!.id}`));
      }
    }
  }

  private async put(face: Face, key: string, body: string, condition: Condition): Promise<string> {
    const ifMatch = condition !== undefined && 'ifMatch' in condition ? `"${md5Of(condition.ifMatch)}"` : undefined;
    const ifNoneMatch = condition !== undefined && 'ifNoneMatch' in condition ? '*' : undefined;
    if (face === 's3') {
      const conditions = { IfMatch: ifMatch, IfNoneMatch: ifNoneMatch };
      return this.sent(this.s3.send(new PutObjectCommand({ ...this.at(key), Body: Buffer.from(body), ...conditions })));
    }
    const headers = {
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    };
    return outcomeOf(await this.call('PUT', objectPath(key), { body, headers }));
  }

  private async get(face: Face, key: string, range: Range): Promise<string> {
    const header = range === undefined ? undefined : `bytes=${range[0]}-${range[1]}`;
    if (face === 's3')
      return resultOf(async () => {
        const { Body, ETag } = await this.s3.send(new GetObjectCommand({ ...this.at(key), Range: header }));
        return seen(await Body!.transformToString(), unquoted(ETag));
      });
    const answer = await this.call('GET', objectPath(key), header === undefined ? {} : { headers: { range: header } });
    return answer.status < 300 ? seen(answer.text, unquoted(answer.headers.get('etag'))) : outcomeOf(answer);
  }

  private copy(from: string, to: string): Promise<string> {
    const source = { CopySource: this.sourceOf(from), MetadataDirective: 'REPLACE' } as const;
    return this.sent(this.s3.send(new CopyObjectCommand({ ...this.at(to), ...source })));
  }

  /** The other object is there before the rest of the first is read. */
  private readAndOverwrite(key: string, body: string): Promise<string> {
    return resultOf(async () => {
      const { Body, ETag } = await this.s3.send(new GetObjectCommand(this.at(key)));
      expectStatus(200, await this.call('PUT', objectPath(key), { body }));
      return seen(await Body!.transformToString(), unquoted(ETag));
    });
  }

  private async listByS3({ prefix, delimiter, limit }: ListAct): Promise<string[]> {
    const names: string[] = [];
    let token: string | undefined;
    do {
      const page = await this.s3.send(
        new ListObjectsV2Command({
          ...{ Bucket: this.bucket.label, Prefix: prefix, MaxKeys: limit, EncodingType: 'url' },
          ...(delimiter === '' ? {} : { Delimiter: delimiter }),
          ContinuationToken: token,
        }),
      );
      const objects = (page.Contents ?? []).map(({ Key, ETag }) =>
        listedObject(decodeURIComponent(Key!), unquoted(ETag)),
      );
      const prefixes = (page.CommonPrefixes ?? []).map(({ Prefix }) => decodeURIComponent(Prefix!));
      names.push(...pageOf([...objects, ...prefixes], limit));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return names;
  }

  private async listByApi({ prefix, delimiter, limit }: ListAct): Promise<string[]> {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ prefix, delimiter, limit: String(limit), ...(cursor && { cursor }) });
      const { data, meta } = expectStatus(200, await this.call('GET', `/objects?${query.toString()}`)).body;
      const objects = (data.objects as { key: string; etag: string }[]).map(({ key, etag }) => listedObject(key, etag));
      names.push(...pageOf([...objects, ...(data.prefixes as string[])], limit));
      cursor = meta.next_cursor as string | undefined;
    } while (cursor !== undefined);
    return names;
  }

  private async begin(key: string, announced: number | null): Promise<string> {
    if (announced === null) {
      const { UploadId } = await this.s3.send(new CreateMultipartUploadCommand(this.at(key)));
      this.uploads.push({ id: UploadId!, key });
    } else {
      const answer = await this.post('/uploads', { key, size_bytes: announced });
      this.uploads.push({ id: expectStatus(201, answer).body.data.upload_id as string, key });
    }
    return 'ok';
  }

  private part({ upload, number, body }: Extract<Act, { act: 'part' }>): Promise<string> {
    const sent = { PartNumber: number, Body: Buffer.from(body) };
    return this.sent(this.s3.send(new UploadPartCommand({ ...this.uploadAt(upload), ...sent })));
  }

  private async partByLink({ upload, number, body }: Extract<Act, { act: 'part' }>): Promise<string> {
    const signed = await this.post(`/uploads/${this.uploads[upload]!.id}/parts`, { numbers: [number] });
    if (signed.status !== 200) return outcomeOf(signed);
    const { status, text } = await new Storing(this.app).follow(signed.body.data[0].url as string, {
      method: 'PUT',
      body,
    });
    return status === 200 ? 'ok' : (/<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? text);
  }

  private copyPart({ upload, number, from }: Extract<Act, { act: 'copy part' }>): Promise<string> {
    const source = { PartNumber: number, CopySource: this.sourceOf(from) };
    return this.sent(this.s3.send(new UploadPartCopyCommand({ ...this.uploadAt(upload), ...source })));
  }

  private async complete(face: Face, upload: number, listed: readonly NamedPart[]): Promise<string> {
    if (face === 'json') return outcomeOf(await this.post(`/uploads/${this.uploads[upload]!.id}/complete`, {}));
    const Parts = listed.map(([PartNumber, etag]) => ({ PartNumber, ETag: `"${etag}"` }));
    return this.sent(
      this.s3.send(new CompleteMultipartUploadCommand({ ...this.uploadAt(upload), MultipartUpload: { Parts } })),
    );
  }

  private readonly at = (key: string): { Bucket: string; Key: string } => ({ Bucket: this.bucket.label, Key: key });

  private uploadAt(upload: number): { Bucket: string; Key: string; UploadId: string } {
    const { id, key } = this.uploads[upload]!;
    return { ...this.at(key), UploadId: id };
  }

  private sourceOf(key: string): string {
    return `${this.bucket.label}/${encodeURIComponent(key)}`;
  }

  private sent(work: Promise<unknown>): Promise<string> {
    return resultOf(async () => {
      await work;
      return 'ok';
    });
  }

  private call(
    method: string,
    path: string,
    { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const options = as(this.apiKey, { headers });
    return this.app.call(method, this.path + path, body === undefined ? options : { ...options, body });
  }

  private post(path: string, body: object): Promise<Answer> {
    return this.app.post(this.path + path, body, as(this.apiKey));
  }
}

const objectPath = (key: string): string => `/objects/${encodeURIComponent(key)}`;

const unquoted = (etag: string | null | undefined): string => (etag ?? '').replaceAll('"', '');

/** A page has no more than was asked for, and lies behind the one before, which the order of all of them shows. */
function pageOf(names: readonly string[], limit: number): string[] {
  expect(names.length).toBeLessThanOrEqual(limit);
  return byBytes(names);
}

function outcomeOf({ status, body, text }: Answer): string {
  if (status < 300) return 'ok';
  const code = body?.error?.code as string | undefined;
  return S3_CODES[code ?? ''] ?? text;
}

const resultOf = (work: () => Promise<string>): Promise<string> =>
  work().catch((error: unknown) => {
    if ((error as Partial<S3ServiceException>).$metadata === undefined) throw error;
    return (error as Error).name;
  });
