import { client } from '../support/built-client.js';
import { useFaultProxy } from '../support/fault-proxy.js';
import { useApp, WITH_SANDBOX } from '../support/test-app.js';

const { Service, ServiceError, RateLimitError, ValidationError } = client;
const HELLO = { language: 'python', code: 'print(1 + 2)' } as const;

const problem = (status: number, code: string, more: object = {}): string =>
  JSON.stringify({
    error: { type: 'api_error', code, status, message: 'Something.', ...more },
    meta: { request_id: 'req_x' },
  });

describe('the built client against the service', () => {
  const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const proxy = useFaultProxy(() => app.url);
  const anonymous = (options: object = {}): InstanceType<typeof Service> =>
    new Service({ anonymous: true, baseUrl: proxy.url, ...options });

  it('runs code in the anonymous sandbox without a credential', async () => {
    process.env['SERVICE_API_KEY'] = 'svc_pat_canary';
    try {
      const { data, meta } = await anonymous({ apiKey: 'svc_pat_canary' }).sandbox.try(HELLO);
      expect(data).toMatchObject({ status: 'succeeded', stdout: '3\n', exit_code: 0 });
      expect(meta).toMatchObject({ remaining_executions: 9, request_id: expect.stringMatching(/^req_/) });
      expect(JSON.stringify(proxy.seen)).not.toContain('canary');
    } finally {
      delete process.env['SERVICE_API_KEY'];
    }
  });

  it('keeps the budget of the last response, errors included', async () => {
    const service = anonymous();
    expect(service.lastBudget).toBeUndefined();
    await service.sandbox.try(HELLO);
    expect(service.lastBudget).toEqual({ tier: 'anonymous', limit: 1000, remaining: 999, resetsAt: expect.any(Date) });
    const midnightMs = new Date().setUTCHours(24, 0, 0, 0);
    expect(Math.abs(service.lastBudget!.resetsAt.getTime() - midnightMs)).toBeLessThan(2_000);

    await expect(service.sandbox.try({ ...HELLO, code: '' })).rejects.toThrow(ValidationError);
    expect(service.lastBudget!.remaining).toBe(998);
  });

  it('throws a ValidationError whose details name the field', async () => {
    const error = await anonymous()
      .sandbox.try({ code: 'x', language: 'ruby' as 'python' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      name: 'ValidationError',
      status: 400,
      type: 'validation_error',
      code: 'invalid_request',
      docsUrl: 'http://api.test/docs/errors/invalid_request',
      requestId: expect.stringMatching(/^req_/),
      retryAfter: undefined,
      message: expect.stringMatching(/\nDocs: http:\/\/api\.test\/docs\/errors\/invalid_request$/),
      details: [expect.objectContaining({ path: 'language', in: 'body', code: 'is_in', received: 'ruby' })],
    });
    expect(proxy.seen).toHaveLength(1);
  });

  it('throws a RateLimitError with retryAfter and upgradeUrl when the daily runs are used up', async () => {
    // In the last minute of a day it would be worth the wait.
    const service = anonymous({ maxRetries: 0 });
    for (let run = 0; run < 10; run++) await service.sandbox.try(HELLO);
    const error = await service.sandbox.try(HELLO).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      status: 429,
      code: 'sandbox_daily_limit_exceeded',
      upgradeUrl: 'http://api.test/pricing',
      retryAfter: expect.any(Number),
    });
  });

  it('retries 503 and 429 under one idempotency key, and never before Retry-After', async () => {
    proxy.reset(
      { kind: 'answer', status: 503, body: problem(503, 'service_unavailable') },
      { kind: 'answer', status: 429, headers: { 'retry-after': '1' }, body: problem(429, 'burst_limit_exceeded') },
    );
    expect((await anonymous().sandbox.try(HELLO)).data.stdout).toBe('3\n');
    expect(new Set(proxy.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const [first, second, third] = proxy.seen.map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThanOrEqual(375);
    expect(third! - second!).toBeGreaterThanOrEqual(1000);
    expect(proxy.seen).toHaveLength(3);
  });

  it('accepts a Retry-After that is an HTTP date', async () => {
    const dueMs = Math.ceil(Date.now() / 1000) * 1000 + 2000;
    proxy.reset({ kind: 'answer', status: 429, headers: { 'retry-after': new Date(dueMs).toUTCString() }, body: '' });
    await anonymous().sandbox.try(HELLO);
    expect(Date.now()).toBeGreaterThanOrEqual(dueMs);
    expect(proxy.seen).toHaveLength(2);
  });

  it.each([
    ['HTML', 502, '<html><h1>Bad Gateway</h1></html>', 'http_502'],
    ['nothing', 500, '', 'http_500'],
    ['truncated JSON', 503, '{"error":{"type":"api_er', 'http_503'],
    ['JSON of another form', 504, '{"message":"upstream timed out"}', 'http_504'],
    ['JSON that is no object', 520, 'null', 'http_520'],
  ])('throws a ServiceError for an error whose body is %s', async (_what, status, body, code) => {
    proxy.reset({ kind: 'answer', status, headers: { 'content-type': 'text/html' }, body });
    const error = await anonymous({ maxRetries: 0 })
      .sandbox.try(HELLO)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ name: 'ServiceError', status, code, type: 'api_error' });
  });

  it('throws a ServiceError for an error whose body is cut off', async () => {
    proxy.reset({ kind: 'break-off', status: 500 });
    await expect(anonymous({ maxRetries: 0 }).sandbox.try(HELLO)).rejects.toMatchObject({
      name: 'ServiceError',
      status: 500,
    });
  });

  it.each([
    [
      'HTML',
      {
        kind: 'answer',
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<html>Sign in to the Wi-Fi</html>',
      } as const,
    ],
    ['truncated', { kind: 'truncate' } as const],
  ])('throws a ServiceError for a success that is %s, and does not retry', async (_what, fault) => {
    proxy.reset(fault);
    await expect(anonymous().sandbox.try(HELLO)).rejects.toMatchObject({
      name: 'ServiceError',
      status: 200,
      code: 'unreadable_answer',
    });
    expect(proxy.seen).toHaveLength(1);
  });

  it.each(['reset', 'lose-answer', 'break-off'] as const)(
    'rethrows the network error when the connection breaks: %s',
    async (kind) => {
      proxy.reset({ kind });
      let thrownByFetch: unknown;
      const watched = anonymous({
        fetch: async (...request: Parameters<typeof fetch>): Promise<Response> => {
          try {
            return await fetch(...request);
          } catch (error) {
            thrownByFetch = error;
            throw error;
          }
        },
      });
      const error = await watched.sandbox.try(HELLO).catch((thrown: unknown) => thrown);
      expect(error).not.toBeInstanceOf(ServiceError);
      expect((error as Error).name).toBe('TypeError');
      // Where the connection breaks in the body, it is reading that fails.
      if (kind !== 'break-off') expect(error).toBe(thrownByFetch);
      expect(proxy.seen).toHaveLength(1);
    },
  );

  it.each(['stall', 'stall-body'] as const)(
    'throws after timeoutMs without a retry, and not a ServiceError: %s',
    async (kind) => {
      proxy.reset({ kind });
      const error = await anonymous()
        .sandbox.try(HELLO, { timeoutMs: 500 })
        .catch((thrown: unknown) => thrown);
      expect(error).not.toBeInstanceOf(ServiceError);
      expect((error as Error).name).toBe('TimeoutError');
      expect(proxy.seen).toHaveLength(1);
    },
  );

  it.each(['stall', 'stall-body'] as const)(
    'rejects at once with the reason of an aborted signal: %s',
    async (kind) => {
      proxy.reset({ kind });
      const controller = new AbortController();
      const reason = new Error('Enough.');
      const call = anonymous()
        .sandbox.try(HELLO, { signal: controller.signal })
        .catch((thrown: unknown) => thrown);
      setTimeout(() => {
        controller.abort(reason);
      }, 300);
      expect(await call).toBe(reason);
      expect(proxy.seen).toHaveLength(1);
    },
  );
});
