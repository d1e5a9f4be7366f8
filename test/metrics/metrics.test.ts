import { randomAddress, useApp } from '../support/test-app.js';

const TOKEN = 'metrics-token-0123456789';

describe('GET /metrics', () => {
  const app = useApp();

  it('is open when METRICS_TOKEN is not set, and says so in the log and in the metrics', async () => {
    const answer = await app.fetch('/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(answer.text).toContain('operator_surface_unprotected{surface="metrics"} 1');
    expect(app.log()).toContainEqual(expect.objectContaining({ level: 'warn', msg: expect.stringContaining('METRICS_TOKEN is not set') }));
  });

  it('counts answers by method, route template and status', async () => {
    await app.fetch('/health');
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/http_requests_total\{method="GET",route="\/health",status="200"\} \d+/);
    expect(text).toMatch(/http_request_duration_seconds_bucket\{le="0.3",method="GET",route="\/health",status="200"\} \d+/);
  });

  it('does not grow with what callers make up', async () => {
    const series = async (): Promise<number> => (await app.fetch('/metrics')).text.split('\n').filter((line) => line.startsWith('http_requests_total')).length;
    await Promise.all([app.fetch('/api/v1/x'), app.fetch('/docs/errors/x'), app.call('DELETE', '/health')]);
    await series();
    const before = await series();
    for (let batch = 0; batch < 20; batch++) {
      await Promise.all(Array.from({ length: 25 }, (_, index) => app.fetch(`/api/v1/${batch}-${index}?x=${index}`, { from: randomAddress(), headers: { 'x-request-id': `id-${index}` } })));
    }
    expect(await series()).toBe(before);
  });

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
