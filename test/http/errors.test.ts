import { as, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const TRY = '/api/v1/sandbox/try';
const JSON_BODY = { 'content-type': 'application/json' };

describe('API errors', () => {
  const app = useApp();

  it('returns 404 with a request id, its page and the budget for an unknown route', async () => {
    const answer = await app.fetch('/api/v1/nothing/here');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      error: {
        type: 'not_found_error',
        code: 'route_not_found',
        status: 404,
        message: 'Endpoint not found: GET /api/v1/nothing/here.',
        hint: expect.stringContaining('/docs') as string,
        docs_url: 'http://api.test/docs/errors/route_not_found',
      },
      meta: { request_id: answer.headers.get('x-request-id') },
    });
    expect(answer.headers.get('x-service-calls-remaining')).toBe('1000');
  });

  it('returns 405 with the allowed methods', async () => {
    const answer = await app.fetch(TRY);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(answer.body.error).toMatchObject({ type: 'api_error', code: 'method_not_allowed' });
    const probe = await app.call('DELETE', '/health');
    expect([probe.status, probe.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it.each([
    ['{"code": ', 'malformed_json'],
    ['', 'invalid_request'],
    ['"text"', 'malformed_json'],
    ['[1]', 'invalid_request'],
    ['{}', 'invalid_request'],
    ['null', 'malformed_json'],
    ['{"code":"\u0000', 'malformed_json'],
  ])('returns for the body %j status 400 and code %s', async (body, code) => {
    const answer = await app.call('POST', TRY, { headers: JSON_BODY, body });
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });

  it.each(['/api/v1/projects', '/api/v1/projects/any/deploys'])(
    'returns 400 at %s for a parameter with the name of an accessor of the query class',
    async (path) => {
      const make = new Make(app);
      const key = await make.key(await make.person());
      const answer = await app.fetch(`${path}?page=2`, as(key));
      expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
        400,
        'invalid_request',
        [{ path: 'page', in: 'query', code: 'unknown_field', message: 'Unknown field: page.' }],
      ]);
    },
  );

  it.each(['[', '{"a":'])('returns 400 for 45,000 levels of %s, not 500', async (opening) => {
    const body = opening.repeat(45_000) + (opening === '[' ? ']' : '1}').repeat(45_000);
    const nested = await app.call('POST', TRY, { headers: JSON_BODY, body: `{"code":${body}}` });
    expect([nested.status, nested.body.error.code]).toEqual([400, 'malformed_json']);
    expect((await app.call('POST', TRY, { headers: JSON_BODY, body })).status).toBe(400);
  });

  it('returns 413 for a body that is too large', async () => {
    const answer = await app.call('POST', TRY, {
      headers: JSON_BODY,
      body: JSON.stringify({ code: 'x'.repeat(2_000_000) }),
    });
    expect(answer.status).toBe(413);
    expect(answer.body.error).toMatchObject({ code: 'payload_too_large', details: { limit_bytes: 1_048_576 } });
  });

  it.each([
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'code=1'],
    [{ 'content-type': 'text/plain' }, '{}'],
    [{ 'content-type': 'application/json; charset=klingon' }, '{}'],
    [{ 'content-type': 'application/json', 'content-encoding': 'rot13' }, '{}'],
  ])('returns 415 for the media type %j', async (headers, body) => {
    const answer = await app.call('POST', TRY, { headers: headers as unknown as Record<string, string>, body });
    expect([answer.status, answer.body.error.code]).toEqual([415, 'unsupported_media_type']);
    expect(answer.body.error.hint).toContain('Content-Type: application/json');
  });

  it('returns 400 or 404 for a path that cannot be decoded, never 500', async () => {
    expect((await app.fetch('/docs/errors/%zz')).status).toBe(400);
    expect((await app.fetch('/api/v1/%zz')).status).toBe(404);
  });

  it('returns RFC 9457 problem details when requested', async () => {
    const answer = await app.fetch('/api/v1/nothing', { headers: { accept: 'application/problem+json' } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      type: 'http://api.test/docs/errors/route_not_found',
      title: 'Endpoint not found.',
      status: 404,
      detail: 'Endpoint not found: GET /api/v1/nothing.',
      instance: answer.headers.get('x-request-id'),
      error_type: 'not_found_error',
      code: 'route_not_found',
      hint: expect.any(String) as string,
    });
  });

  it('links to a page for people in docs_url', async () => {
    const { body } = await app.fetch('/api/v1/nothing');
    const page = await app.fetch(new URL(String(body.error.docs_url)).pathname);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).toContain('route_not_found');
    expect((await app.fetch('/docs/errors/..%2f..%2fpackage')).status).toBe(404);
    expect((await app.fetch('/docs/errors/constructor')).status).toBe(404);
  });

  it('rejects NUL in a path', async () => {
    const make = new Make(app);
    const person = as(await make.person());
    for (const path of ['/api/v1/keys/%00', '/api/v1/keys/key_%00x', '/api/v1/orgs/x/members/%00']) {
      const { status, body } = await app.call(path.includes('orgs') ? 'DELETE' : 'GET', path, person);
      expect([path, status, body.error.code]).toEqual([path, 400, 'malformed_request']);
    }
  });

  it('contains no cause, stack or path', async () => {
    const answers = await Promise.all([
      app.fetch('/api/v1/x'),
      app.fetch('/docs/errors/%zz'),
      app.call('POST', TRY, { headers: JSON_BODY, body: '{' }),
    ]);
    for (const { text } of answers) expect(text).not.toMatch(/node_modules|\.ts:|\.js:|at Object|SyntaxError/);
  });
});

describe('request ids', () => {
  const app = useApp();

  it("repeats the caller's request id and trace in the response and the log", async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await app.fetch('/health', {
      headers: { 'x-request-id': 'my-id.1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(answer.headers.get('x-request-id')).toBe('my-id.1');
    expect(answer.headers.get('x-trace-id')).toBe(traceId);
    expect(app.log()).toContainEqual(
      expect.objectContaining({
        requestId: 'my-id.1',
        traceId,
        method: 'GET',
        path: '/health',
        status: 200,
        route: '/health',
      }),
    );
  });

  it('creates ids when the caller sends none that is valid', async () => {
    const answer = await app.fetch('/api/v1/nothing', {
      headers: { 'x-request-id': 'spaces are not fine', 'x-trace-id': 'xyz' },
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/);
    expect(answer.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('logs one line per request, without the query', async () => {
    await app.fetch('/api/v1?token=canary-secret', {
      headers: { 'x-request-id': 'one-line', authorization: 'Bearer canary-secret' },
    });
    const lines = app.log().filter(({ requestId }) => requestId === 'one-line');
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: '/api/v1',
        status: 200,
        durationMs: expect.any(Number) as number,
      }),
    ]);
    expect(JSON.stringify(app.log())).not.toContain('canary-secret');
  });
});
