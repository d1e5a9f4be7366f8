import { useApp } from '../support/test-app.js';

const TOKEN = 'metrics-token-0123456789';
const OPS_TOKEN = 'ops-token-0123456789';
const AS_OPERATOR = { authorization: `Bearer ${OPS_TOKEN}` };

/** At once; fewer than connections that are taken at a time. */
const AT_ONCE = 50;

describe('GET /metrics', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '100000', OPS_TOKEN }, 'all');

  const json = (method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> =>
    app.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
  /** Each makes up something else, every time: paths, methods, hosts, headers, keys, names, tags. */
  const ODD_REQUESTS: readonly ((odd: string) => Promise<unknown>)[] = [
    (odd) => app.fetch(`/${odd}`),
    (odd) => app.fetch(`/api/v1/${odd}?${odd}=${odd}`),
    (odd) => app.fetch(`/docs/errors/${odd}`),
    (odd) => app.fetch(`/docs/runbooks/${odd}`),
    (odd) => app.fetch(`/api/v1/projects/prj_${odd}`, { headers: { authorization: `Bearer svc_${odd}` } }),
    (odd) => app.fetch('/api/v1/me', { headers: { authorization: `${odd} ${odd}`, 'x-service-org': odd } }),
    (odd) => app.fetch('/health', { headers: { 'x-request-id': odd, 'user-agent': odd, traceparent: `00-${odd}` } }),
    (odd) =>
      app.fetch(`/git/${odd}/${odd}.git/info/refs?service=git-${odd}`, {
        headers: { authorization: `Basic ${Buffer.from(`${odd}:${odd}`).toString('base64')}` },
      }),
    (odd) => app.raw(`GET /${odd} HTTP/1.1\r\nHost: ${odd}.localhost\r\nConnection: close\r\n\r\n`),
    (odd) => app.raw(`BREW-${odd.toUpperCase()} / HTTP/1.1\r\nHost: ${odd}\r\nConnection: close\r\n\r\n`),
    (odd) => app.call('PROPFIND', `/api/v1/${odd}`),
    (odd) => app.call('DELETE', `/health?${odd}`),
    (odd) => json('POST', '/api/v1/sandbox/try', { language: odd, code: odd }),
    (odd) => json('POST', '/api/v1/auth/sign-in', { username: odd, [odd]: odd }),
    (odd) =>
      json('POST', '/ops/alert', { title: odd, runbookTag: odd, severity: odd, labels: { [odd]: odd } }, AS_OPERATOR),
    (odd) =>
      json(
        'POST',
        '/ops/alert',
        {
          version: '4',
          alerts: [
            {
              status: 'resolved',
              labels: { alertname: odd, runbookTag: odd },
              fingerprint: odd,
              startsAt: '2026-01-01T00:00:00Z',
            },
          ],
        },
        AS_OPERATOR,
      ),
    (odd) => json('POST', '/ops/features', { name: odd, enabled: true }, AS_OPERATOR),
    (odd) => app.fetch(`/ops/tasks?status=${odd}&runbookTag=${odd}`, { headers: AS_OPERATOR }),
    (odd) => json('PUT', `/api/v1/${odd}`, odd, { 'content-type': `application/${odd}`, 'idempotency-key': odd }),
  ];

  it('is open when METRICS_TOKEN is not set, and says so in the log and in the metrics', async () => {
    const answer = await app.fetch('/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(answer.text).toContain('operator_surface_unprotected{surface="metrics"} 1');
    expect(app.log()).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: expect.stringContaining('METRICS_TOKEN is not set') }),
    );
  });

  it('counts answers by method, route template and status', async () => {
    await app.fetch('/health');
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/http_requests_total\{method="GET",route="\/health",status="200"\} \d+/);
    expect(text).toMatch(
      /http_request_duration_seconds_bucket\{le="0.3",method="GET",route="\/health",status="200"\} \d+/,
    );
  });

  it('does not grow with what callers make up, in three thousand odd requests of every kind', async () => {
    const series = async (): Promise<string[]> =>
      (await app.fetch('/metrics')).text
        .split('\n')
        .filter((line) => /^(?!#|nodejs_|process_)./.test(line))
        .map((line) => line.slice(0, line.lastIndexOf(' ')))
        .sort();
    const ask = async (from: number, to: number): Promise<void> => {
      for (let first = from; first < to; first += AT_ONCE) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, (_, step) =>
            ODD_REQUESTS[(first + step) % ODD_REQUESTS.length]!(`x${(first + step).toString(36)}`),
          ),
        );
      }
    };
    await ask(0, 1_000);
    const before = await series();
    await ask(1_000, 3_000);
    const added = (await series()).filter((line) => !before.includes(line));
    // An answer that a busy machine gave late may have a status of its own; what grew with one kind of them would be
    // more than a hundred.
    expect(added.length).toBeLessThan(50);
    expect([...before, ...added].filter((line) => /[="/.]x[0-9a-z]{1,5}["/.]/.test(line))).toEqual([]);
  }, 180_000);

  it('has no gauge that is named like a counter', async () => {
    const { text } = await app.fetch('/metrics');
    const gauges = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name!);
    expect(gauges.length).toBeGreaterThan(5);
    expect(gauges.filter((name) => name.endsWith('_total'))).toEqual([]);
  });
});

describe('with METRICS_TOKEN', () => {
  const app = useApp({ METRICS_TOKEN: TOKEN });

  it.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer another-token-01234567' }],
    ['the beginning of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['the token in the query', {}, `?token=${TOKEN}`],
  ])('answers %s with 401', async (_what, headers, query = '') => {
    const answer = await app.fetch(`/metrics${query}`, { headers: headers as unknown as Record<string, string> });
    expect(answer.status).toBe(401);
    expect(answer.body.error).toMatchObject({ type: 'auth_error', code: 'invalid_token' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('answers the token with the metrics, and leaves the probes open', async () => {
    expect((await app.fetch('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    expect((await app.fetch('/health')).status).toBe(200);
    expect((await app.fetch('/ready')).status).toBe(200);
  });

  it('never logs the token', async () => {
    await app.fetch(`/metrics?token=${TOKEN}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(JSON.stringify(app.log())).not.toContain(TOKEN);
  });
});
