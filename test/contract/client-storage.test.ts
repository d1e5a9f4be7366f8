import { client } from '../support/built-client.js';

const { NotFoundError, Service, ServiceError } = client;
const MIB = 1_048_576;

interface Sent {
  readonly call: string;
  readonly headers: Headers;
  readonly body: unknown;
}
type Answer = (sent: Sent) => Response | Promise<Response>;

/** A client whose calls are recorded and answered by `answer`. */
function recorded(answer: Answer): { service: InstanceType<typeof Service>; sent: Sent[]; urls: string[] } {
  const sent: Sent[] = [];
  const urls: string[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const { host, pathname, search } = new URL(input as string);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : (init.body ?? undefined);
    const path = host === 'api.test' ? `${pathname.replace('/api/v1/storage', '')}${search}` : `${host}${pathname}`;
    const one = { call: `${init.method} ${path}`, headers: new Headers(init.headers), body };
    sent.push(one);
    return answer(one);
  };
  const hooks = { onRequest: ({ url }: { url: string }) => urls.push(url) };
  const service = new Service({ apiKey: 'svc_pat_x', baseUrl: 'http://api.test', fetch, maxRetries: 0, hooks });
  return { service, sent, urls };
}

const success = (value: unknown): Response => Response.json({ data: value, meta: { request_id: 'req_1' } });
const failure = (status: number, code: string): Response =>
  Response.json({ error: { code, status, message: 'No.' }, meta: {} }, { status });

describe('storage in the built client', () => {
  it('calls every endpoint with its ids and keys escaped, its query and its body', async () => {
    const { service, sent } = recorded(() => success([]));
    const { storage } = service;
    await storage.buckets.list({ project_id: 'prj_1' });
    await storage.buckets.create({ name: 'media', visibility: 'public' });
    await storage.buckets.get('bkt_1');
    await storage.buckets.update('bkt_1', { expire_after_days: null });
    await storage.buckets.delete('bkt_1');
    await storage.objects.list('bkt_1', { prefix: 'a/', delimiter: '/', limit: 10 });
    await storage.objects.delete('bkt_1', 'a/../b?c#d');
    await storage.objects.abortUpload('bkt_1', 'mpu_1');
    await storage.sign('bkt_1', { method: 'GET', key: 'a', expires_in: 60 });
    await storage.usage();
    await storage.accessKeys.list();
    await storage.accessKeys.create({ name: 'ci', access: 'read', bucket_ids: ['bkt_1'] });
    await storage.accessKeys.delete('AK1');
    await storage.attachments.list('bkt_1');
    await storage.attachments.set('bkt_1', 'prj_1');
    await storage.attachments.delete('bkt_1', 'prj_1');
    expect(sent.map(({ call, body }) => [call, body])).toEqual([
      ['GET /buckets?project_id=prj_1', undefined],
      ['POST /buckets', { name: 'media', visibility: 'public' }],
      ['GET /buckets/bkt_1', undefined],
      ['PATCH /buckets/bkt_1', { expire_after_days: null }],
      ['DELETE /buckets/bkt_1', undefined],
      ['GET /buckets/bkt_1/objects?prefix=a%2F&delimiter=%2F&limit=10', undefined],
      ['DELETE /buckets/bkt_1/objects/a%2F..%2Fb%3Fc%23d', undefined],
      ['DELETE /buckets/bkt_1/uploads/mpu_1', undefined],
      ['POST /buckets/bkt_1/sign', { method: 'GET', key: 'a', expires_in: 60 }],
      ['GET /usage', undefined],
      ['GET /access-keys', undefined],
      ['POST /access-keys', { name: 'ci', access: 'read', bucket_ids: ['bkt_1'] }],
      ['DELETE /access-keys/AK1', undefined],
      ['GET /buckets/bkt_1/attachments', undefined],
      ['PUT /buckets/bkt_1/attachments/prj_1', {}],
      ['DELETE /buckets/bkt_1/attachments/prj_1', undefined],
    ]);
  });

  it('downloads a range without reading it, and returns the headers of an object', async () => {
    const { service, sent } = recorded(() => new Response('0123', { status: 206, headers: { etag: '"e"' } }));
    const part = await service.storage.objects.get('bkt_1', 'a b', { range: 'bytes=0-3' });
    expect([part.status, part.bodyUsed, await part.text()]).toEqual([206, false, '0123']);
    expect((await service.storage.objects.head('bkt_1', 'a b')).get('etag')).toBe('"e"');
    expect(sent.map(({ call }) => call)).toEqual([
      'GET /buckets/bkt_1/objects/a%20b',
      'HEAD /buckets/bkt_1/objects/a%20b',
    ]);
    expect(sent.map(({ headers }) => headers.get('range'))).toEqual(['bytes=0-3', null]);
    expect(sent[1]!.headers.has('idempotency-key')).toBe(false);
  });

  it('throws the class of the status when an object is missing, also without a body', async () => {
    const { service } = recorded(() => new Response(null, { status: 404 }));
    await expect(service.storage.objects.head('bkt_1', 'a')).rejects.toThrow(NotFoundError);
  });
});

/** An upload as the API has it. Keeps the parts that arrive. */
function uploads({
  parts,
  partBytes,
  sizeBytes = 65 * MIB,
  fail,
}: {
  parts: number;
  partBytes: number;
  sizeBytes?: number;
  fail?: Answer | undefined;
}): {
  answer: Answer;
  stored: Map<number, string>;
  begin: (number: number, bytes: number) => void;
} {
  const stored = new Map<number, string>();
  const answer: Answer = async (sent) => {
    const { call, body } = sent;
    const description = { upload_id: 'upl_1', part_bytes: partBytes, parts };
    if (call === 'POST /buckets/bkt_1/uploads') return success(description);
    if (call === 'GET /buckets/bkt_1/uploads/upl_1')
      return success({ ...description, size_bytes: sizeBytes, uploaded: [...stored.keys()] });
    if (call === 'POST /buckets/bkt_1/uploads/upl_1/parts')
      return success(
        (body as { numbers: number[] }).numbers.map((number) => ({
          number,
          url: `http://s3.test/${number}?sign=hidden`,
          headers: { 'x-amz-need': 'this' },
        })),
      );
    if (call === 'POST /buckets/bkt_1/uploads/upl_1/complete') return success({ key: 'big' });
    const [, number] = /^PUT s3\.test\/(\d+)$/.exec(call)!;
    const refusal = await fail?.(sent);
    if (refusal !== undefined && !refusal.ok) return refusal;
    const bytes = new Uint8Array(body instanceof Blob ? await body.arrayBuffer() : (body as Uint8Array<ArrayBuffer>));
    stored.set(Number(number), `${bytes.length}:${bytes[0]}`);
    return new Response(null, { headers: { etag: `"${number}"` } });
  };
  return { answer, stored, begin: (number, bytes) => stored.set(number, `${bytes}:earlier`) };
}

/** Content of a size whose bytes are the number of their MiB, and which is never in memory as a whole. */
const content = (
  mebibytes: number,
): { size: number; slice: (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>> } => ({
  size: mebibytes * MIB,
  slice: (start, end) => Promise.resolve(new Uint8Array(end - start).fill(start / MIB)),
});

describe('uploads in the built client', () => {
  it.each([
    ['text', 'cat', 'text/plain'],
    ['bytes', new TextEncoder().encode('cat'), 'text/plain'],
    ['a blob', new Blob(['cat'], { type: 'text/plain' }), undefined],
  ])('sends %s in one request with its type', async (_what, bytes, contentType) => {
    const { service, sent } = recorded(() => success({ key: 'a/b.txt' }));
    expect(await service.storage.objects.put('bkt_1', 'a/b.txt', bytes, { contentType })).toEqual({ key: 'a/b.txt' });
    expect(sent.map(({ call }) => call)).toEqual(['PUT /buckets/bkt_1/objects/a%2Fb.txt']);
    expect(sent[0]!.headers.get('content-type')).toBe('text/plain');
    expect(await (sent[0]!.body as Blob).text()).toBe('cat');
  });

  it('sends more than 64 MiB in parts, and reports each that has arrived', async () => {
    const upload = uploads({ parts: 3, partBytes: 32 * MIB });
    const { service, sent, urls } = recorded(upload.answer);
    const seen: unknown[] = [];
    const stored = await service.storage.objects.put('bkt_1', 'big', content(65), {
      contentType: 'video/mp4',
      onProgress: (progress) => seen.push(progress),
      idempotencyKey: 'mine',
    });
    expect(stored).toEqual({ key: 'big' });
    expect(Object.fromEntries(upload.stored)).toEqual({ 1: `${32 * MIB}:0`, 2: `${32 * MIB}:32`, 3: `${MIB}:64` });
    expect(sent[0]).toMatchObject({ body: { key: 'big', size_bytes: 65 * MIB, content_type: 'video/mp4' } });
    expect(seen).toHaveLength(4);
    expect(seen[0]).toEqual({ uploadId: 'upl_1', sentBytes: 0, totalBytes: 65 * MIB });
    expect(seen[3]).toEqual({ uploadId: 'upl_1', sentBytes: 65 * MIB, totalBytes: 65 * MIB });
    // The signed addresses are credentials of their own.
    const parts = sent.filter(({ call }) => call.startsWith('PUT s3.test'));
    expect(parts.map(({ headers }) => [...headers.keys()])).toEqual([['x-amz-need'], ['x-amz-need'], ['x-amz-need']]);
    expect(urls.join()).not.toContain('hidden');
    // One key for several requests would be a conflict.
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key')))).not.toContain('mine');
  });

  it('sends at most four parts at once', async () => {
    let active = 0;
    let most = 0;
    const upload = uploads({
      parts: 9,
      partBytes: 8 * MIB,
      fail: async () => {
        most = Math.max(most, ++active);
        await new Promise(setImmediate);
        active--;
        return new Response();
      },
    });
    const { service } = recorded(upload.answer);
    await service.storage.objects.put('bkt_1', 'big', content(72));
    expect(most).toBe(4);
    expect(upload.stored.size).toBe(9);
  });

  it('continues an upload with the parts that are missing', async () => {
    const upload = uploads({ parts: 3, partBytes: 32 * MIB });
    upload.begin(1, 32 * MIB);
    upload.begin(3, MIB);
    const { service, sent } = recorded(upload.answer);
    const seen: number[] = [];
    await service.storage.objects.put('bkt_1', 'big', content(65), {
      resume: 'upl_1',
      onProgress: ({ sentBytes }) => seen.push(sentBytes / MIB),
    });
    expect(sent.filter(({ call }) => call.startsWith('PUT')).map(({ call }) => call)).toEqual(['PUT s3.test/2']);
    expect(seen).toEqual([33, 65]);
    // Content of another size is not mixed with what is there.
    const other = service.storage.objects.put('bkt_1', 'big', content(66), { resume: 'upl_1' });
    await expect(other).rejects.toThrow('resume is an upload of other content.');
  });

  it('sends a part again whose connection breaks, and gives up at a refusal', async () => {
    let breaks = 1;
    const broken = uploads({
      parts: 3,
      partBytes: 32 * MIB,
      fail: ({ call }) => {
        if (call.endsWith('/2') && breaks-- > 0) throw new TypeError('fetch failed');
        return new Response();
      },
    });
    await recorded(broken.answer).service.storage.objects.put('bkt_1', 'big', content(65));
    expect(broken.stored.size).toBe(3);

    const refused = uploads({ parts: 40, partBytes: 2 * MIB, fail: () => failure(413, 'storage_full') });
    const { service, sent } = recorded(refused.answer);
    const thrown: unknown = await service.storage.objects.put('bkt_1', 'big', content(80)).catch((e: unknown) => e);
    expect(thrown).toBeInstanceOf(ServiceError);
    expect(thrown).toMatchObject({ status: 413, code: 'storage_full' });
    await new Promise(setImmediate);
    expect(sent.filter(({ call }) => call.startsWith('PUT')).length).toBeLessThanOrEqual(4);
  });
});
