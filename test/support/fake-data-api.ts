import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Client, type DatabaseError } from 'pg';
import { eventually } from './test-app.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

type Body = Record<string, any>;
/** An import that is larger is kept as its number of bytes. */
const LARGE_BYTES = 1_048_576;

interface Stored {
  readonly bytes: Buffer;
  readonly type: string;
}

/** A refusal in the form of the API. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details?: object,
  ) {
    super(message);
  }
}

const missing = (what: string): Refusal => new Refusal(404, `${what}_not_found`, 'Not found.');
const newId = (prefix: string): string => `${prefix}_${randomBytes(13).toString('hex')}`;

/**
 * The endpoints of databases and object storage as clients see them, on a real PostgreSQL database, with objects in
 * memory. Tests of the command line use it where they need parts to fail, or answers that take no isolation.
 */
export class FakeDataApi {
  readonly databases = new Map<string, Body>();
  readonly buckets = new Map<string, Body>();
  readonly objects = new Map<string, Stored>();
  readonly calls: string[] = [];
  readonly bodies: Body[] = [];
  /** Called for each request, which waits for it. A number is the status of the answer. */
  fail: (call: string) => number | undefined | Promise<undefined> = () => undefined;
  /** Objects break off after so many bytes. */
  cutAfter: number | undefined;
  isTimeToCut: () => boolean = () => true;
  readonly ranges: (string | undefined)[] = [];
  partBytes = 8 * 1_048_576;
  private readonly uploads = new Map<string, { key: string; size: number; type: string; parts: Map<number, Buffer> }>();
  private readonly server = createServer((request, response) => {
    void this.answer(request, response);
  });
  private database!: TestDatabase;

  async start(): Promise<void> {
    this.database = await createTestDatabase({ migrated: false });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await this.database.drop();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The names of stored objects. */
  get keys(): string[] {
    return [...this.objects.keys()].sort();
  }

  addDatabase(fields: Body): Body {
    const id = newId('db');
    const database = { ...EMPTY_DATABASE, id, database: `${String(fields['name'])}-k3v9x2ma`, ...fields };
    this.databases.set(id, database);
    return database;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://fake');
    // A command that is interrupted leaves in the middle of its request.
    const bytes = await buffer(request).catch(() => undefined);
    if (bytes === undefined) return;
    const call = `${request.method} ${url.pathname.replace('/api/v1/', '')}`;
    this.calls.push(call);
    try {
      const status = await this.fail(call);
      if (status !== undefined) throw new Refusal(status, `fails_${status}`, 'It fails.');
      const answered = await this.route({ call, url, bytes, request, response });
      if (answered === undefined) return;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: null, meta: { request_id: 'req_1' }, ...answered }));
    } catch (error) {
      const { status, code, message, details } =
        error instanceof Refusal ? error : new Refusal(500, 'broken', String(error));
      response.statusCode = status;
      response.end(JSON.stringify({ error: { code, status, message, details }, meta: { request_id: 'req_1' } }));
    }
  }

  private async route(given: Given): Promise<object | undefined> {
    const [, ...parts] = given.url.pathname.split('/').map(decodeURIComponent);
    if (parts[0] === 's3') {
      this.putPart(parts, given);
      return;
    }
    const [, , resource, ...rest] = parts;
    const json = given.request.headers['content-type'] === 'application/json' && given.bytes.length > 0;
    const body = (json ? JSON.parse(given.bytes.toString()) : {}) as Body;
    if (json) this.bodies.push(body);
    if (resource === 'projects') return { data: { id: 'prj_1', slug: rest[0] } };
    if (resource === 'databases') return this.onDatabases(given, rest, body);
    return this.onStorage(given, rest, body);
  }

  private async onDatabases(
    { request, bytes, response }: Given,
    rest: string[],
    body: Body,
  ): Promise<object | undefined> {
    const [id, part, other] = rest;
    if (id === undefined)
      return { data: request.method === 'GET' ? [...this.databases.values()] : this.addDatabase(body) };
    const database = this.databases.get(id);
    if (database === undefined) throw missing('database');
    switch (`${request.method} ${part ?? ''}`) {
      case 'GET ':
        if (database['state'] === 'creating')
          Object.assign(database, database['name'] === 'bad' ? FAILED : { state: 'ready' });
        return { data: database };
      case 'DELETE ':
        Object.assign(database, { state: 'deleted', deleted_at: '2026-01-02T00:00:00Z' });
        return {};
      case 'POST purge':
        this.databases.delete(id);
        return {};
      case 'POST undelete':
        return { data: Object.assign(database, { state: 'ready', deleted_at: null }) };
      case 'POST query':
        return { data: await this.query(body) };
      case 'POST branches':
        return { data: this.addDatabase({ ...body, parent_id: id }) };
      case 'POST restore':
        return { data: this.addDatabase({ name: body['name'] ?? 'restored', at: body['at'] }) };
      case 'POST swap':
        return { data: database };
      case 'GET export':
        response.end('CREATE TABLE cats (name text);\n');
        return undefined;
      case 'POST import':
        database['imported'] = bytes.length > LARGE_BYTES ? bytes.length : bytes.toString();
        return { data: {} };
      case 'GET credentials':
        return { data: [{ ...CREDENTIAL, id: 'dbc_1', last_used_at: null, expires_at: null }] };
      case 'POST credentials':
        return {
          data: { ...CREDENTIAL, ...body, id: other ?? 'dbc_2', url: 'postgres://owner_x:hidden@db.test:5433/shop' },
        };
      case 'PUT attachments':
        return { data: { prefix: 'DATABASE', targets: ['production', 'preview'], ...body, project_id: other } };
      case 'DELETE attachments':
      case 'DELETE credentials':
        return {};
      default:
        return { data: [] };
    }
  }

  private async query({ sql, params, access, max_rows: most = 1_000 }: Body): Promise<object> {
    const client = new Client({ connectionString: this.database.url });
    await client.connect();
    try {
      await client.query(access === 'write' ? 'BEGIN' : 'BEGIN READ ONLY');
      const result = await client.query({ text: String(sql), values: params as unknown[], rowMode: 'array' });
      await client.query('COMMIT');
      const types = await client.query<{ oid: number; name: string }>(
        'SELECT oid::int AS oid, format_type(oid, NULL) AS name FROM pg_type',
      );
      const names = new Map(types.rows.map(({ oid, name }) => [oid, name]));
      return {
        columns: result.fields.map(({ name, dataTypeID }) => ({ name, type: names.get(dataTypeID) })),
        rows: result.rows.slice(0, Number(most)),
        row_count: result.rowCount ?? 0,
        truncated: result.rows.length > Number(most),
        duration_ms: 1,
        command: result.command,
      };
    } catch (error) {
      const { code, message, position } = error as DatabaseError;
      const details = { sql_state: code, ...(position === undefined ? {} : { position: Number(position) }) };
      throw new Refusal(400, 'query_failed', message, details);
    } finally {
      await client.end();
    }
  }

  private onStorage(given: Given, rest: string[], body: Body): object | undefined {
    const { request } = given;
    const [kind, id, part, ...key] = rest;
    if (kind === 'usage')
      return { data: { size_bytes: 5, reserved_bytes: 0, quota_bytes: 1e9, buckets: 1, buckets_limit: 10 } };
    if (kind === 'access-keys')
      return {
        data: request.method === 'GET' ? [] : { id: 'AK1', name: 'k', access: 'write', secret: 'hidden', ...body },
      };
    if (id === undefined) return { data: request.method === 'GET' ? [...this.buckets.values()] : this.addBucket(body) };
    const bucket = this.buckets.get(id);
    if (bucket === undefined) throw missing('bucket');
    if (part === 'objects' && key.length === 0) return this.page(given.url.searchParams);
    if (part === 'objects') return this.onObject(given, key.join('/'));
    if (part === 'uploads') return this.onUpload(request.method!, key, body);
    if (part === 'sign') return { data: { url: `${this.url}/s3/signed`, headers: {}, method: 'GET', expires_at: '' } };
    if (part === 'attachments')
      return { data: { prefix: 'STORAGE', targets: ['production'], access: 'write', ...body, project_id: key[0] } };
    if (request.method === 'DELETE') this.buckets.delete(id);
    return { data: Object.assign(bucket, body) };
  }

  addBucket(fields: Body): Body {
    const id = newId('bkt');
    const bucket = { ...EMPTY_BUCKET, id, label: `${String(fields['name'])}-k3v9x2ma`, ...fields };
    this.buckets.set(id, bucket);
    return bucket;
  }

  private page(query: URLSearchParams): object {
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')];
    const after = query.get('cursor') ?? '';
    const prefixes = new Set<string>();
    const objects = [];
    // Two objects are a page, so that every test pages.
    for (const key of this.keys.filter((each) => each.startsWith(prefix) && each > after)) {
      const folder = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      if (folder !== -1) prefixes.add(key.slice(0, folder + 1));
      else objects.push(this.described(key));
      if (objects.length === 2)
        return { data: { objects, prefixes: [...prefixes] }, meta: { has_more: true, next_cursor: key } };
    }
    return { data: { objects, prefixes: [...prefixes] }, meta: { has_more: false } };
  }

  private described(key: string): Body {
    const { bytes, type } = this.objects.get(key)!;
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
    return {
      key,
      size_bytes: bytes.length,
      etag,
      content_type: type,
      metadata: {},
      updated_at: '2026-01-01',
      url: null,
    };
  }

  private onObject({ request, bytes, response }: Given, key: string): object | undefined {
    if (request.method === 'PUT') {
      this.objects.set(key, { bytes, type: request.headers['content-type']! });
      return { data: this.described(key) };
    }
    const stored = this.objects.get(key);
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      return {};
    }
    if (stored === undefined) throw missing('object');
    if (request.method === 'GET') this.ranges.push(request.headers.range);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const body = stored.bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': body.length,
      'content-type': stored.type,
      etag: String(this.described(key)['etag']),
    });
    if (request.method === 'HEAD') response.end();
    else if (this.cutAfter === undefined) response.end(body);
    else {
      response.write(body.subarray(0, this.cutAfter));
      void eventually(this.isTimeToCut, 'the client has kept the first bytes').finally(() => response.destroy());
    }
    return undefined;
  }

  private onUpload(method: string, [id, part]: string[], body: Body): object {
    if (id === undefined) {
      const begun = newId('upl');
      const size = Number(body['size_bytes']);
      this.uploads.set(begun, { key: String(body['key']), size, type: String(body['content_type']), parts: new Map() });
      return { data: this.upload(begun) };
    }
    const upload = this.uploads.get(id);
    if (upload === undefined) throw missing('upload');
    if (method === 'GET') return { data: this.upload(id) };
    if (part === 'parts')
      return {
        data: (body['numbers'] as number[]).map((number) => ({
          number,
          url: `${this.url}/s3/${id}/${number}?sign=x`,
          headers: {},
        })),
      };
    const bytes = Buffer.concat([...upload.parts].sort(([one], [other]) => one - other).map(([, each]) => each));
    this.objects.set(upload.key, { bytes, type: upload.type });
    this.uploads.delete(id);
    return { data: this.described(upload.key) };
  }

  private upload(id: string): Body {
    const { key, size, parts } = this.uploads.get(id)!;
    return {
      upload_id: id,
      part_bytes: this.partBytes,
      key,
      size_bytes: size,
      parts: Math.ceil(size / this.partBytes),
      uploaded: [...parts.keys()],
    };
  }

  private putPart([, id, number]: string[], { request, bytes, response }: Given): undefined {
    if (request.headers.authorization !== undefined) throw new Refusal(400, 'leaked', 'The key must not come here.');
    this.uploads.get(id!)!.parts.set(Number(number), bytes);
    response.end();
  }
}

interface Given {
  readonly call: string;
  readonly url: URL;
  readonly bytes: Buffer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const CREDENTIAL = { name: null, access: 'owner', user: 'owner_x', created_at: '2026-01-01T00:00:00Z' };
const FAILED = { state: 'failed', error: { code: 'no_room', message: 'No room.' } };
const EMPTY_DATABASE = {
  organization_id: 'org_1',
  project_id: null,
  state: 'creating',
  engine: 'own',
  parent_id: null,
  in_production: false,
  error: null,
  read_only_because: null,
  activity: 'asleep',
  connections: { open: 0, limit: 20 },
  size_bytes: 31_000_000,
  quota_bytes: 1_000_000_000,
  last_active_at: null,
  host: 'db.test',
  port: 5433,
  restorable: { from: null, until: null },
  can: { branch: true, restore: true },
  created_at: '2026-01-01T00:00:00Z',
  deleted_at: null,
  restorable_until: null,
};
const EMPTY_BUCKET = {
  organization_id: 'org_1',
  project_id: null,
  visibility: 'private',
  cors: [],
  expire_after_days: null,
  size_bytes: 0,
  reserved_bytes: 0,
  object_count: 0,
  s3: { endpoint: 'http://storage.test', bucket: 'media-k3v9x2ma', region: 'us-east-1' },
  public_url: null,
  created_at: '2026-01-01T00:00:00Z',
};
