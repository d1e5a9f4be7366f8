import { as, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const ORIGIN = 'https://app.example';

describe('CORS', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);

  const preflight = (path: string, method: string, headers: string): ReturnType<typeof app.call> =>
    app.call('OPTIONS', path, {
      headers: { origin: ORIGIN, 'access-control-request-method': method, 'access-control-request-headers': headers },
    });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'allows %s with every header that the API reads',
    async (method) => {
      const wanted = [
        'authorization',
        'x-api-key',
        'content-type',
        'idempotency-key',
        'dry-run',
        'x-service-org',
        'x-request-id',
        'x-trace-id',
      ];
      const { status, headers } = await preflight('/api/v1/keys', method, wanted.join(','));
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(headers.get('access-control-allow-headers')!.split(/, */)).toEqual(wanted);
      expect(headers.get('access-control-allow-methods')!.split(/, */)).toContain(method);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  it('returns the budget of a preflight, which costs nothing', async () => {
    const from = '198.18.50.5';
    const ask = () =>
      app.call('OPTIONS', '/api/v1/keys', {
        from,
        headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
      });
    for (const { status, headers } of [await ask(), await ask()]) {
      expect([
        status,
        headers.get('x-service-tier'),
        headers.get('x-service-calls-limit'),
        headers.get('x-service-calls-remaining'),
      ]).toEqual([204, 'anonymous', '1000', '1000']);
    }
  });

  it('exposes every response header, on errors too', async () => {
    const person = as(await make.person(), { headers: { origin: ORIGIN, 'idempotency-key': 'once' } });
    await app.post('/api/v1/keys', { name: 'x' }, person);
    for (const answer of [
      await app.post('/api/v1/keys', { name: 'x' }, person),
      await app.fetch('/api/v1/nowhere', person),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = answer.headers.get('access-control-expose-headers')!.toLowerCase().split(/, */);
      const own = [...answer.headers.keys()].filter((name) =>
        /^(x-service|x-request|x-trace|ratelimit|retry-after|idempotency)/.test(name),
      );
      expect(own.length).toBeGreaterThan(5);
      expect(exposed).toEqual(expect.arrayContaining(own));
    }
  });

  it('is not enabled for probes and metrics', async () => {
    for (const path of ['/health', '/metrics']) {
      expect(
        (await app.fetch(path, { headers: { origin: ORIGIN } })).headers.get('access-control-allow-origin'),
      ).toBeNull();
      expect((await preflight(path, 'GET', 'authorization')).status).toBe(405);
    }
  });
});
