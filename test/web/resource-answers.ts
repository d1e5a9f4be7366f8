import type { Page, Route } from 'playwright-core';
import { Visit } from './support.js';

/** A moment of which everything that is shown happened a while ago. */
const HOUR_MS = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();

export interface ShownDatabase {
  id: string;
  name: string;
  state: string;
  parent_id: string | null;
  [field: string]: unknown;
}

/** A database as the API answers it. */
export function shownDatabase(id: string, name: string, fields: object = {}): ShownDatabase {
  return {
    id,
    organization_id: 'org_test',
    project_id: null,
    name,
    state: 'ready',
    engine: 'own',
    parent_id: null,
    in_production: false,
    error: null,
    read_only_because: null,
    activity: 'asleep',
    connections: { open: 3, limit: 20 },
    size_bytes: 412_000_000,
    quota_bytes: 1_000_000_000,
    last_active_at: ago(2),
    host: 'localhost',
    port: 5433,
    database: `${name}-k3v9x2ma`,
    restorable: { from: ago(24), until: ago(0.01) },
    can: { branch: true, restore: true },
    created_at: ago(200),
    deleted_at: null,
    restorable_until: null,
    ...fields,
  };
}

export function shownBucket(id: string, name: string, fields: object = {}): Record<string, unknown> & { id: string } {
  return {
    id,
    organization_id: 'org_test',
    project_id: null,
    name,
    label: `${name}-p7w2c4xq`,
    visibility: 'private',
    cors: [],
    expire_after_days: null,
    size_bytes: 73_400_320,
    reserved_bytes: 0,
    object_count: 1_204,
    s3: { endpoint: 'http://storage.localhost:3001', bucket: `${name}-p7w2c4xq`, region: 'us-east-1' },
    public_url: null,
    created_at: ago(300),
    ...fields,
  };
}

const OBJECT = { etag: '"1"', metadata: {}, updated_at: ago(5), url: null };

/**
 * Databases and object storage as the API answers them, without the clusters and files behind: it answers for
 * `/api/v1/databases` and `/api/v1/storage`, and keeps what was asked.
 */
export class ResourceAnswers {
  readonly asked: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  readonly databases: ShownDatabase[];
  readonly buckets: ReturnType<typeof shownBucket>[];
  readonly objects: Record<string, unknown>[];
  /** Answers that come before the others, by method and path without `/api/v1/`. */
  readonly refusals = new Map<string, { readonly status: number; readonly error: object }>();
  /** The uploads in parts, and the numbers of the parts that have arrived. */
  readonly uploads = new Map<
    string,
    { readonly key: string; readonly sizeBytes: number; readonly there: Set<number> }
  >();
  /** Parts fail while it is true, as with a broken line. */
  isBroken = false;

  constructor(readonly project: string) {
    this.databases = [
      shownDatabase('db_shop', 'shop', { activity: 'active', project_id: project }),
      shownDatabase('db_try', 'shop-try', { parent_id: 'db_shop', activity: 'frozen', size_bytes: 413_000_000 }),
      shownDatabase('db_old', 'reports', { read_only_because: 'quota', size_bytes: 1_020_000_000 }),
    ];
    this.buckets = [
      shownBucket('bkt_photos', 'photos', {
        cors: [{ origins: ['https://shop.example.com'], methods: ['GET'], headers: ['*'], expose_headers: ['ETag'] }],
      }),
      shownBucket('bkt_site', 'site-files', {
        visibility: 'public',
        public_url: 'http://site-files.storage.localhost/',
      }),
    ];
    this.objects = [
      { ...OBJECT, key: 'readme.txt', size_bytes: 24, content_type: 'text/plain' },
      { ...OBJECT, key: 'beach.png', size_bytes: 68, content_type: 'image/png' },
      { ...OBJECT, key: 'photos/2026/sea.jpg', size_bytes: 2_400_000, content_type: 'image/jpeg' },
    ];
  }

  async answer(page: Page): Promise<void> {
    await page.route(/\/api\/v1\/(databases|storage)\b/, (route) => this.route(route));
    await page.route(/\/signed\//, (route) => this.signed(route));
  }

  /** The bodies of the calls of a kind, such as `POST databases`. */
  bodiesOf(call: string): unknown[] {
    return this.asked.filter(({ method, path }) => `${method} ${path}` === call).map(({ body }) => body);
  }

  private async route(route: Route): Promise<void> {
    const request = route.request();
    const url = new URL(request.url());
    const path = decodeURIComponent(url.pathname.replace('/api/v1/', ''));
    const method = request.method();
    const isJson = (request.headers()['content-type'] ?? '').startsWith('application/json');
    const body: any = isJson ? request.postDataJSON() : undefined;
    this.asked.push({ method, path, body });
    const refusal = this.refusals.get(`${method} ${path}`);
    if (refusal !== undefined) {
      const error = { status: refusal.status, ...refusal.error };
      return route.fulfill({ status: refusal.status, json: { error, meta: { request_id: 'req_test' } } });
    }
    const parts = path.split('/');
    const data =
      parts[0] === 'databases' ? this.ofDatabases(method, parts, body) : this.ofStorage(method, parts, url, body);
    if (data === undefined) return route.fulfill({ status: 204 });
    if (typeof data === 'string' || Buffer.isBuffer(data)) return route.fulfill({ status: 200, body: data });
    const meta = { request_id: 'req_test', has_more: false, next_cursor: null };
    return route.fulfill({ status: 200, json: { data, meta } });
  }

  private ofDatabases(method: string, [, id, part, which, action]: string[], body: any): unknown {
    if (id === undefined) {
      if (method === 'GET') return this.databases;
      const made = shownDatabase(`db_${this.databases.length}`, body.name, { state: 'creating', size_bytes: 0 });
      this.databases.push(made);
      // It is ready the next time that it is asked for.
      setTimeout(() => (made.state = 'ready'), 0);
      return made;
    }
    const found = this.databases.find((each) => each.id === id)!;
    switch (`${method} ${part ?? ''}`) {
      case 'GET ':
        return found;
      case 'PATCH ':
        return Object.assign(found, body);
      case 'DELETE ':
        Object.assign(found, { state: 'deleted', deleted_at: ago(0), restorable_until: ago(-160) });
        return undefined;
      case 'POST undelete':
        return Object.assign(found, { state: 'ready', deleted_at: null, restorable_until: null });
      case 'GET credentials':
        return [credential(), { ...credential(), id: 'cred_2', name: null, access: 'reader', user: 'reader_m2' }];
      case 'POST credentials':
        if (action === undefined)
          return { ...credential(), ...body, url: `postgres://owner_k3:s3cret@localhost:5433/${found.name}-k3v9x2ma` };
        return { ...credential(), id: 'cred_3', user: 'owner_z9', url: `postgres://owner_z9:new@localhost/${which}` };
      case 'GET attachments':
        return id === 'db_shop' ? [{ ...ATTACHMENT, project_id: this.project }] : [];
      case 'PUT attachments':
        return { project_id: which, created_at: ago(0), ...body };
      case 'GET backups':
        return [backup('bak_2', 3), backup('bak_1', 27)];
      case 'POST backups':
        return { ...backup('bak_3', 0), state: 'pending', size_bytes: 0 };
      case 'POST branches':
        this.databases.push(shownDatabase('db_new', body.name, { parent_id: id }));
        return this.databases.at(-1);
      case 'POST restore':
        this.databases.push(shownDatabase('db_restored', body.name, { state: 'restoring' }));
        return this.databases.at(-1);
      case 'POST swap':
        return found;
      case 'GET schema':
        return SCHEMA;
      case 'GET stats':
        return STATS;
      case 'POST query':
        return rowsOf(body.sql);
      default:
        return method === 'GET' ? [] : undefined;
    }
  }

  private ofStorage(method: string, parts: string[], url: URL, body: any): unknown {
    const [, kind, id, part, which, action] = parts;
    if (kind === 'usage')
      return {
        size_bytes: 812_000_000,
        reserved_bytes: 5_000_000,
        quota_bytes: 1_000_000_000,
        buckets: this.buckets.length,
        buckets_limit: 10,
      };
    if (kind === 'access-keys') {
      if (method === 'GET')
        return [accessKey(), { ...accessKey(), id: 'AKATTACHED0000000000', project_id: this.project }];
      return method === 'POST' ? { ...accessKey(), ...body, secret: 'the-secret-of-the-key' } : undefined;
    }
    if (id === undefined) {
      if (method === 'GET') return this.buckets;
      this.buckets.push(shownBucket(`bkt_${this.buckets.length}`, body.name, { object_count: 0, size_bytes: 0 }));
      return this.buckets.at(-1);
    }
    const found = this.buckets.find((each) => each.id === id)!;
    switch (`${method} ${part ?? ''}`) {
      case 'GET ':
        return found;
      case 'PATCH ':
        return Object.assign(found, body);
      case 'GET attachments':
        return id === 'bkt_photos'
          ? [{ ...ATTACHMENT, prefix: 'STORAGE', access: 'write', project_id: this.project }]
          : [];
      case 'PUT attachments':
        return { project_id: which, created_at: ago(0), ...body };
      case 'GET objects':
        if (which !== undefined) return parts.slice(4).join('/').endsWith('.png') ? PIXEL : 'Hello <b>there</b>';
        return this.listed(url.searchParams.get('prefix') ?? '', url.searchParams.has('delimiter'));
      case 'PUT objects':
        return this.put(parts.slice(4).join('/'), 1);
      case 'DELETE objects':
        this.objects.splice(
          this.objects.findIndex(({ key }) => key === parts.slice(4).join('/')),
          1,
        );
        return undefined;
      case 'POST sign':
        return {
          url: `${url.origin}/signed/${body.key}?X-Amz-Signature=1`,
          method: 'GET',
          headers: {},
          expires_at: ago(-1),
        };
      case 'POST uploads':
        return this.ofUpload(which, action, body, url.origin);
      case 'GET uploads':
        return this.state(which!);
      case 'DELETE uploads':
        this.uploads.delete(which!);
        return undefined;
      default:
        return undefined;
    }
  }

  private ofUpload(id: string | undefined, action: string | undefined, body: any, origin: string): unknown {
    if (id === undefined) {
      const made = `upl_${this.uploads.size}`;
      this.uploads.set(made, { key: body.key, sizeBytes: body.size_bytes, there: new Set() });
      return this.state(made);
    }
    if (action === 'parts')
      return body.numbers.map((number: number) => ({ number, url: `${origin}/signed/${id}/${number}` }));
    const { key, sizeBytes } = this.uploads.get(id)!;
    this.uploads.delete(id);
    return this.put(key, sizeBytes);
  }

  private state(id: string): object {
    const { key, sizeBytes, there } = this.uploads.get(id)!;
    const parts = Math.ceil(sizeBytes / PART_BYTES);
    return { upload_id: id, key, size_bytes: sizeBytes, part_bytes: PART_BYTES, parts, uploaded: [...there] };
  }

  private signed(route: Route): Promise<void> {
    const [, id = '', number = ''] = /\/signed\/(upl_\d+)\/(\d+)/.exec(route.request().url()) ?? [];
    const isFirst = number === '1';
    if (this.isBroken && !isFirst) return route.abort();
    this.uploads.get(id)?.there.add(Number(number));
    return route.fulfill({ status: 200, headers: { etag: '"1"' }, body: '' });
  }

  private put(key: string, sizeBytes: number): object {
    const made = { ...OBJECT, key, size_bytes: sizeBytes, content_type: 'application/octet-stream' };
    this.objects.push(made);
    return made;
  }

  private listed(prefix: string, byFolder: boolean): object {
    const below = this.objects.filter(({ key }) => (key as string).startsWith(prefix));
    if (!byFolder) return { objects: below, prefixes: [] };
    const folders = below.map(({ key }) => /^[^/]*\//.exec((key as string).slice(prefix.length))?.[0]);
    return {
      objects: below.filter((_, at) => folders[at] === undefined),
      prefixes: [...new Set(folders.filter((each) => each !== undefined))].map((each) => prefix + each),
    };
  }
}

interface VisitWithResources {
  readonly visit: Visit;
  readonly page: Page;
  readonly org: string;
  readonly answers: ResourceAnswers;
}

/** A person with a project, some databases and some buckets. */
export async function visitWithResources(): Promise<VisitWithResources> {
  const visit = await Visit.begin();
  const org = await visit.signUp();
  const { id: project } = await visit.call('POST', 'projects', { name: 'Storefront' });
  const answers = new ResourceAnswers(project);
  await answers.answer(visit.page);
  return { visit, page: visit.page, org, answers };
}

const PART_BYTES = 16 * 1_048_576;

const ATTACHMENT = {
  prefix: 'DATABASE',
  targets: ['production', 'preview'],
  previews: 'branch',
  access: 'owner',
  created_at: ago(20),
};

const credential = (): object => ({
  id: 'cred_1',
  name: 'Laptop of Ada',
  access: 'owner',
  user: 'owner_k3',
  created_at: ago(100),
  expires_at: null,
  last_used_at: ago(1),
});

const accessKey = (): object => ({
  id: 'AKQ7ZC3XN5W2LDUEB6TM',
  name: 'Backups of the office',
  access: 'write',
  bucket_ids: ['bkt_photos'],
  project_id: null,
  expires_at: null,
  last_used_at: ago(4),
  created_at: ago(90),
});

const backup = (id: string, hours: number): object => ({
  id,
  state: 'ready',
  kind: 'scheduled',
  size_bytes: 98_000_000,
  created_at: ago(hours),
  finished_at: ago(hours),
});

const column = (name: string, type: string, more: object = {}): object => ({
  name,
  type,
  nullable: false,
  default: null,
  ...more,
});

const SCHEMA = {
  schemas: ['audit', 'public'],
  truncated: false,
  tables: [
    {
      schema: 'public',
      name: 'orders',
      row_estimate: 120,
      size_bytes: 90_000,
      columns: [
        column('id', 'bigint', { default: "nextval('orders_id_seq'::regclass)" }),
        column('customer', 'text', { nullable: true }),
        column('total', 'numeric'),
      ],
      indexes: [
        {
          name: 'orders_pkey',
          unique: true,
          primary: true,
          definition: 'CREATE UNIQUE INDEX orders_pkey ON public.orders USING btree (id)',
        },
      ],
    },
    {
      schema: 'audit',
      name: 'log',
      row_estimate: 0,
      size_bytes: 8_192,
      columns: [column('at', 'timestamptz')],
      indexes: [],
    },
  ],
};

const STATS = {
  connections: 3,
  cache_hit_rate: 0.997,
  tables: [{ schema: 'public', name: 'orders', size_bytes: 90_000, row_estimate: 120 }],
  slow_statements: [
    { statement: 'SELECT * FROM orders WHERE customer = $1', calls: 1_204, mean_ms: 0.42, total_ms: 505 },
  ],
};

/** The rows of the table, the page that the statement asks for. */
function rowsOf(sql: string): object {
  const offset = Number(/OFFSET (\d+)/.exec(sql)?.[1] ?? 0);
  const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1] ?? 3);
  const all = Array.from({ length: 120 }, (_, at) => [at + 1, at === 2 ? null : `Customer ${at + 1}`, '12.50']);
  const rows = all.slice(offset, offset + limit);
  return {
    columns: [
      { name: 'id', type: 'int8' },
      { name: 'customer', type: 'text' },
      { name: 'total', type: 'numeric' },
    ],
    rows,
    row_count: rows.length,
    truncated: false,
    duration_ms: 2,
    command: 'SELECT',
  };
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
