import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Hooks, ServiceOptions } from '@service/client';
import { parseRetryAfter, waitSeconds } from '../../client/src/retry.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import { client } from '../support/built-client.js';

const { Service, ServiceError, RateLimitError } = client;
const DIST = join(__dirname, '../../client/dist');
const KEY = 'svc_pat_canary';

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: any;
}

/** A client of a service that gives these answers, one after the other, the last again and again. */
function serviceThat(
  answers: readonly Response[],
  options: ServiceOptions = {},
): { service: InstanceType<typeof Service>; sent: Sent[] } {
  const sent: Sent[] = [];
  const answer = (input: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push({
      method: init.method!,
      url: new URL(input as string),
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
    });
    return Promise.resolve(answers[Math.min(sent.length, answers.length) - 1]!.clone());
  };
  return { service: new Service({ apiKey: KEY, baseUrl: 'http://api.test/', fetch: answer, ...options }), sent };
}

const success = (data: unknown, meta: object = {}): Response =>
  Response.json({ data, meta: { request_id: 'req_1', ...meta } });
const failure = (status: number, error: object = {}, headers: Record<string, string> = {}): Response =>
  Response.json(
    {
      error: { type: 'some_error', code: 'some_code', status, message: 'No.', ...error },
      meta: { request_id: 'req_1' },
    },
    { status, headers },
  );

const thrownBy = (call: PromiseLike<unknown>): Promise<any> =>
  Promise.resolve(call).then(
    () => {
      throw new Error('It succeeded.');
    },
    (error: unknown) => error,
  );

describe('new Service()', () => {
  const environment = { ...process.env };
  afterEach(() => {
    process.env = { ...environment };
  });

  it('reads its key and its address from the environment', async () => {
    Object.assign(process.env, { SERVICE_API_KEY: `${KEY}\n`, SERVICE_URL: 'http://elsewhere.test' });
    const { sent, service } = serviceThat([success({})], { apiKey: undefined, baseUrl: undefined });
    await service.me.get();
    expect(sent[0]!.url.href).toBe('http://elsewhere.test/api/v1/me');
    expect(sent[0]!.headers.get('authorization')).toBe(`Bearer ${KEY}`);
  });

  it('throws a plain error with instructions without a key', () => {
    delete process.env['SERVICE_API_KEY'];
    expect(() => new Service()).toThrow(/SERVICE_API_KEY.*anonymous: true/);
    expect(() => new Service()).not.toThrow(ServiceError);
  });

  it.each([
    ['an address without a scheme', { baseUrl: 'api.test' }],
    ['a negative count', { maxRetries: -1 }],
    ['a time that is no number', { timeoutMs: NaN }],
    ['a key and a session', { sessionToken: 'svc_sess_x' }],
    ['a key that cannot be a header', { apiKey: `${KEY}\nx: y` }],
  ])('throws a TypeError for %s without the key in it', (_what, options) => {
    let thrown: any;
    try {
      new Service({ apiKey: KEY, ...options });
    } catch (error) {
      thrown = error;
    }
    expect(thrown?.name).toBe('TypeError');
    expect(String(thrown)).not.toContain('canary');
  });

  it('hides its key when printed or serialized', () => {
    const { service } = serviceThat([]);
    expect(inspect(service, { depth: null, showHidden: true }) + JSON.stringify(service)).not.toContain('canary');
  });
});

describe('a call', () => {
  it('sends the organization, a dry run and an idempotency key as headers, the latter with writes only', async () => {
    const { service, sent } = serviceThat([success({})], { organization: 'acme' });
    await service.keys.create(
      { name: 'ci', kind: 'personal', preset: 'ci_deploy' },
      { dryRun: true, idempotencyKey: 'k-1' },
    );
    await service.me.get({ organization: 'other', dryRun: true });
    const [write, read] = sent.map(({ headers }) => Object.fromEntries(headers));
    expect(write).toMatchObject({
      'x-service-org': 'acme',
      'dry-run': 'true',
      'idempotency-key': 'k-1',
      'content-type': 'application/json',
    });
    expect(read).toMatchObject({ 'x-service-org': 'other' });
    expect(Object.keys(read!)).not.toEqual(expect.arrayContaining(['idempotency-key']));
    expect(Object.keys(read!)).not.toEqual(expect.arrayContaining(['dry-run']));
  });

  it('uses a new idempotency key for each write', async () => {
    const { service, sent } = serviceThat([success({})]);
    await service.keys.rotate('key_1');
    await service.keys.rotate('key_1');
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(2);
  });

  it('escapes path parameters', async () => {
    const { service, sent } = serviceThat([success({})]);
    await service.keys.get('../me?x#y');
    expect(sent[0]!.url.pathname).toBe('/api/v1/keys/..%2Fme%3Fx%23y');
  });

  it('resolves to undefined for an empty response', async () => {
    const { service } = serviceThat([new Response(null, { status: 204 })]);
    await expect(service.keys.revoke('key_1')).resolves.toBeUndefined();
  });

  it('calls its hooks for each attempt, without the key', async () => {
    const events: [string, object][] = [];
    const note =
      (name: string) =>
      (event: object): void => {
        events.push([name, event]);
      };
    const hooks: Hooks = { onRequest: note('request'), onResponse: note('response'), onRetry: note('retry') };
    const { service } = serviceThat([failure(500), success({})], { hooks });
    await service.keys.rotate('key_1');
    expect(events.map(([name]) => name)).toEqual(['request', 'response', 'retry', 'request', 'response']);
    expect(events[2]![1]).toMatchObject({
      method: 'POST',
      attempt: 1,
      waitSeconds: expect.any(Number),
      error: { status: 500 },
    });
    expect(events[4]![1]).toMatchObject({
      attempt: 2,
      status: 200,
      durationMs: expect.any(Number),
      url: 'http://api.test/api/v1/keys/key_1/rotate',
    });
    expect(inspect(events, { depth: null })).not.toContain('canary');
  });
});

describe('errors', () => {
  const CLASS_BY_STATUS: Readonly<Record<number, string>> = {
    400: 'ValidationError',
    401: 'AuthenticationError',
    402: 'InsufficientCreditsError',
    403: 'AuthorizationError',
    404: 'NotFoundError',
    409: 'ConflictError',
    429: 'RateLimitError',
  };

  it.each(ERROR_CATALOG.definitions)(
    'with the code $code have the documented class',
    async ({ code, status, type }) => {
      const { service } = serviceThat([failure(status, { code, type })], { maxRetries: 0 });
      const error = await thrownBy(service.me.get());
      expect(error.constructor.name).toBe(CLASS_BY_STATUS[status] ?? 'ServiceError');
      expect(error).toMatchObject({ name: error.constructor.name, code, type, status });
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toBeInstanceOf(Error);
    },
  );

  it.each([402, 400, 401, 403, 404, 409, 418, 429, 500])(
    'with status %i get their type from the status when the body has none',
    async (status) => {
      const { service } = serviceThat([new Response('', { status })], { maxRetries: 0 });
      const error = await thrownBy(service.me.get());
      expect(error.constructor.name).toBe(CLASS_BY_STATUS[status] ?? 'ServiceError');
      const type = ERROR_CATALOG.definitions.find((facts) => facts.status === status)?.type;
      if (type !== undefined) expect(error.type).toBe(type);
      expect(error.code).toBe(`http_${status}`);
    },
  );

  it('carry all fields of the API, with hint and links in the message', async () => {
    const { service } = serviceThat([
      failure(
        403,
        {
          type: 'authorization_error',
          code: 'insufficient_scopes',
          message: 'The key may not do this.',
          details: { missing_scopes: ['keys:write'] },
          hint: 'Add keys:write.',
          dashboard_url: 'http://dash.test/keys',
          docs_url: 'http://docs.test/x',
        },
        { 'x-request-id': 'req_2' },
      ),
    ]);
    const error = await thrownBy(service.me.get());
    expect(error.message).toBe(
      'The key may not do this.\nHint: Add keys:write.\nDashboard: http://dash.test/keys\nDocs: http://docs.test/x',
    );
    expect(error).toMatchObject({
      status: 403,
      type: 'authorization_error',
      code: 'insufficient_scopes',
      details: { missing_scopes: ['keys:write'] },
      retryAfter: undefined,
      hint: 'Add keys:write.',
      dashboardUrl: 'http://dash.test/keys',
      docsUrl: 'http://docs.test/x',
      requestId: 'req_2',
    });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name: 'AuthorizationError',
      message: error.message,
      code: 'insufficient_scopes',
    });
  });

  it.each([402, 429])('with status %i link to the plans when the API sends no link', async (status) => {
    const { service } = serviceThat([failure(status)], { maxRetries: 0 });
    expect((await thrownBy(service.me.get())).upgradeUrl).toBe('http://api.test/pricing');
    const elsewhere = serviceThat([failure(status)], { maxRetries: 0, pricingUrl: 'http://shop.test/' });
    expect((await thrownBy(elsewhere.service.me.get())).upgradeUrl).toBe('http://shop.test/');
    const given = serviceThat([failure(status, { upgrade_url: 'http://up.test' })], { maxRetries: 0 });
    expect((await thrownBy(given.service.me.get())).upgradeUrl).toBe('http://up.test');
  });
});

describe('retries', () => {
  it('wait from half a second to eight with jitter, and never less than Retry-After', () => {
    expect([0, 1, 2, 3, 4, 5, 9].map((retry) => waitSeconds(retry, undefined, 0))).toEqual([0.5, 1, 2, 4, 8, 8, 8]);
    expect([0, 1, 5].map((retry) => waitSeconds(retry, undefined, 1))).toEqual([0.375, 0.75, 6]);
    expect(waitSeconds(0, 3, 1)).toBe(3);
    expect(waitSeconds(5, 3, 0)).toBe(8);
  });

  it.each([
    ['120', 120],
    ['0', 0],
    [' 7 ', 7],
    ['Wed, 01 Jan 2025 00:00:30 GMT', 30],
    ['Tue, 31 Dec 2024 23:00:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('read Retry-After: %s', (header, seconds) => {
    expect(parseRetryAfter(header, Date.parse('2025-01-01T00:00:00Z'))).toBe(seconds);
  });

  it.each([400, 401, 402, 403, 404, 409, 413])('are not made for status %i', async (status) => {
    const { service, sent } = serviceThat([failure(status)]);
    await thrownBy(service.me.get());
    expect(sent).toHaveLength(1);
  });

  it('stop after maxRetries of the client or the call, with the last error', async () => {
    const { service, sent } = serviceThat([failure(503, { retry_after: 0 })], { maxRetries: 2 });
    expect(await thrownBy(service.me.get({ maxRetries: 1 }))).toMatchObject({ status: 503, retryAfter: 0 });
    expect(sent).toHaveLength(2);
  });

  it('are three by default', async () => {
    const { service, sent } = serviceThat([failure(500)]);
    await thrownBy(service.me.get());
    expect(sent).toHaveLength(4);
  });

  it.each([
    ['in the header', failure(429, {}, { 'retry-after': '61' })],
    ['in the body alone', failure(429, { retry_after: 61 })],
  ])('stop at once when the wait would exceed a minute, %s', async (_where, answer) => {
    const { service, sent } = serviceThat([answer]);
    const error = await thrownBy(service.me.get());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfter).toBe(61);
    expect(sent).toHaveLength(1);
  });

  it('stop waiting with the reason of an aborted signal', async () => {
    const { service, sent } = serviceThat([failure(429, {}, { 'retry-after': '30' })]);
    const controller = new AbortController();
    const call = thrownBy(service.me.get({ signal: controller.signal }));
    const reason = new Error('Enough.');
    setTimeout(() => {
      controller.abort(reason);
    }, 50);
    expect(await call).toBe(reason);
    expect(sent).toHaveLength(1);
  });

  it('do not start for a signal that is already aborted', async () => {
    const { service, sent } = serviceThat([success({})]);
    const reason = new Error('Never.');
    expect(await thrownBy(service.me.get({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(sent).toHaveLength(0);
  });

  it('are not made for network errors, which are rethrown unchanged', async () => {
    const broken = new TypeError('fetch failed');
    let calls = 0;
    const { service } = serviceThat([], {
      fetch: () => {
        calls++;
        return Promise.reject(broken);
      },
    });
    expect(await thrownBy(service.me.get())).toBe(broken);
    expect(calls).toBe(1);
  });
});

describe('the budget', () => {
  it('comes from the headers, and resets at midnight without a reset header', async () => {
    const headers = {
      'x-service-tier': 'pro',
      'x-service-calls-limit': '2147483647',
      'x-service-calls-remaining': '2147483647',
    };
    const { service } = serviceThat([Response.json({ data: {}, meta: {} }, { headers }), success({})]);
    await service.me.get();
    const budget = {
      tier: 'pro',
      limit: 2147483647,
      remaining: 2147483647,
      resetsAt: new Date(new Date().setUTCHours(24, 0, 0, 0)),
    };
    expect(service.lastBudget).toEqual(budget);
    await service.me.get();
    expect(service.lastBudget).toEqual(budget);
  });
});

describe('a list', () => {
  const pages = (): Response[] => [
    success([{ id: 'key_1' }, { id: 'key_2' }], { has_more: true, next_cursor: 'c1' }),
    success([], { has_more: true, next_cursor: 'c2' }),
    success([{ id: 'key_3' }], { has_more: false }),
  ];

  it('is one page when awaited, requested once', async () => {
    const { service, sent } = serviceThat(pages());
    const list = service.keys.list({ limit: 2 });
    expect(sent).toHaveLength(0);
    expect(await list).toEqual({
      data: [{ id: 'key_1' }, { id: 'key_2' }],
      meta: { request_id: 'req_1', has_more: true, next_cursor: 'c1' },
    });
    expect((await list).data).toHaveLength(2);
    expect(sent.map(({ url }) => url.search)).toEqual(['?limit=2']);
  });

  it('yields all items with for await, and requests pages lazily', async () => {
    const { service, sent } = serviceThat(pages());
    const ids: string[] = [];
    for await (const key of service.keys.list()) {
      ids.push(key.id);
      expect(sent).toHaveLength(key.id === 'key_3' ? 3 : 1);
    }
    expect(ids).toEqual(['key_1', 'key_2', 'key_3']);
    expect(sent.map(({ url }) => url.searchParams.get('cursor'))).toEqual([null, 'c1', 'c2']);
  });

  it('continues after a cursor', async () => {
    const { service, sent } = serviceThat([success([])]);
    for await (const _ of service.keys.list({ cursor: 'c9' })) expect(_).toBeUndefined();
    expect(sent[0]!.url.searchParams.get('cursor')).toBe('c9');
  });

  it('rejects like any call, awaited or iterated', async () => {
    const { service } = serviceThat([failure(403)]);
    expect((await thrownBy(service.keys.list())).name).toBe('AuthorizationError');
    expect(await service.keys.list().catch(() => 'caught')).toBe('caught');
    const through = (async () => {
      for await (const _ of service.keys.list()) expect(_).toBeUndefined();
    })();
    expect((await thrownBy(through)).name).toBe('AuthorizationError');
  });
});

describe('the package', () => {
  const main = readFileSync(join(DIST, 'index.js'));

  it('is one module of at most 10 kB, compressed, and one for each of live output, tables and events', () => {
    // test/contract/client-sandbox.test.ts bounds the second.
    expect(readdirSync(DIST).filter((name) => name.endsWith('.js'))).toEqual([
      'html-tables.js',
      'index.js',
      'live-sandbox.js',
      'server-events.js',
    ]);
    expect(gzipSync(main, { level: 9 }).length).toBeLessThanOrEqual(10_000);
  });

  it('imports nothing', () => {
    expect([...main.toString().matchAll(/(?<!['"])\b(?:from|import)\s*\(?\s*['"]([^'"]+)/g)]).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(join(DIST, '../package.json'), 'utf8')) as {
      dependencies?: object;
    };
    expect(dependencies ?? {}).toEqual({});
  });

  it('ships its docs for editors', () => {
    expect(readFileSync(join(DIST, 'sandbox.d.ts'), 'utf8')).toContain(
      '@throws {RateLimitError} `sandbox_daily_limit_exceeded`',
    );
  });
});
