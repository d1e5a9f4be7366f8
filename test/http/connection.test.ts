import type { Server } from 'node:http';
import { eventually, useApp } from '../support/test-app.js';

/** The head and the JSON body of an answer that came over a bare connection. */
function parse(text: string): { status: number; head: string; body: any } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    head,
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  };
}

describe('an invalid HTTP request', () => {
  const app = useApp();

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['a broken header', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers of 20 KiB',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_480)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])("gets an error in the API's format, with a request id: %s", async (_what, bytes, status, code) => {
    const answer = parse(await app.raw(bytes));
    expect(answer).toMatchObject({
      status,
      body: { error: { code, status }, meta: { request_id: expect.stringMatching(/^req_/) } },
    });
    expect(answer.head).toContain(`X-Request-Id: ${String(answer.body.meta.request_id)}`);
  });

  it('is logged without the secret in its path', async () => {
    const secret = 'a-secret-of-a-deploy-hook';
    const answer = parse(
      await app.raw(
        `POST /webhooks/deploys/dhk_1/${secret} HTTP/1.1\r\nHost: x\r\nExpect: more\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
    expect(answer.status).toBe(400);
    const [line] = app.log().filter(({ requestId }) => requestId === answer.body.meta.request_id);
    expect(line).toMatchObject({ method: 'POST', status: 400, path: expect.stringMatching(/^\/webhooks\//) });
    expect(JSON.stringify(app.log())).not.toContain(secret);
  });

  it('times out while headers arrive too slowly', async () => {
    const startedAtMs = performance.now();
    const answer = parse(await app.raw('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '));
    expect(answer).toMatchObject({ status: 408, body: { error: { code: 'request_timeout' } } });
    expect(performance.now() - startedAtMs).toBeLessThan(13_000);
  }, 20_000);

  it('times out when the whole request takes too long', () => {
    const server = app.nest.getHttpServer() as Server;
    expect(server.requestTimeout).toBe(30_000);
    expect(server.keepAliveTimeout).toBe(65_000);
  });

  it('survives a caller who disconnects during the body', async () => {
    const head =
      'POST /api/v1/sandbox/try HTTP/1.1\r\nHost: x\r\nX-Request-Id: half-sent\r\n' +
      'Content-Type: application/json\r\nContent-Length: 1000';
    await app.raw(`${head}\r\n\r\n{`, { thenLeave: true });
    await eventually(() => app.log().some(({ requestId }) => requestId === 'half-sent'), 'the request is logged');
    expect(app.log().filter(({ requestId }) => requestId === 'half-sent')).toEqual([
      expect.objectContaining({ status: 499 }),
    ]);
    expect((await app.fetch('/health')).status).toBe(200);
  });
});
