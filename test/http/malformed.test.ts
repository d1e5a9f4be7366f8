import { deployBehind, FakeAppServer } from '../support/fake-app-server.js';
import type { Deployed } from '../support/hosting.js';
import { RawConnection } from '../support/raw-connection.js';
import { useApp } from '../support/test-app.js';

/** A request that is answered well on its own, and must not be when it is hidden in another one. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: HOST\r\n\r\n';
const get = (headers = '', rest = ''): string =>
  `GET PATH HTTP/1.1\r\nHost: HOST\r\n${headers}Connection: close\r\n\r\n${rest}`;
const chunked = (body: string): string => get('Transfer-Encoding: chunked\r\n', body);
const sized = (value: string): string => get(`Content-Length: ${value}\r\n`, HIDDEN);

/** Names, bytes, and the status of the one answer that comes back. */
const CASES: readonly (readonly [name: string, bytes: string, status: number])[] = [
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a request of Redis', '*1\r\n$4\r\nPING\r\n', 400],
  ['NUL before the method', '\0GET PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a space before the method', ' GET PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a method in lower case', 'get PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a method that nobody knows', 'HELLO PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['no method', '/ HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['HTTP/0.9', 'GET PATH\r\n\r\n', 400],
  ['HTTP/0.9 by number', 'GET PATH HTTP/0.9\r\nHost: HOST\r\n\r\n', 400],
  ['HTTP/1.2', 'GET PATH HTTP/1.2\r\nHost: HOST\r\n\r\n', 400],
  ['HTTP/2.0', 'GET PATH HTTP/2.0\r\nHost: HOST\r\n\r\n', 400],
  ['HTTP/9.9', 'GET PATH HTTP/9.9\r\nHost: HOST\r\n\r\n', 400],
  ['a version in lower case', 'GET PATH http/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['no version', 'GET PATH HTTP/\r\nHost: HOST\r\n\r\n', 400],
  ['a space in the target', 'GET PATH PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a target that is no path', 'GET hello HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a target of nothing but a star', 'GET * HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['NUL in the target', 'GET PATH\0 HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a control character in the target', 'GET PATH\x01 HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a target of another host', 'GET http://other.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a target of another scheme', 'GET gopher://HOST/ HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a target with a user', 'GET http://HOST@other.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['a target of 20 kB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: HOST\r\n\r\n`, 431],
  ['CONNECT', 'CONNECT other.example:443 HTTP/1.1\r\nHost: HOST\r\n\r\n', 405],
  ['CONNECT with the host of the target', 'CONNECT HOST:80 HTTP/1.1\r\nHost: HOST\r\n\r\n', 405],
  ['TRACE', 'TRACE PATH HTTP/1.1\r\nHost: HOST\r\n\r\n', 405],
  ['no host', 'GET PATH HTTP/1.1\r\n\r\n', 400],
  ['two hosts', 'GET PATH HTTP/1.1\r\nHost: HOST\r\nHost: other.example\r\n\r\n', 400],
  ['two hosts, the other first', 'GET PATH HTTP/1.1\r\nHost: other.example\r\nHost: HOST\r\n\r\n', 400],
  ['one host twice', 'GET PATH HTTP/1.1\r\nHost: HOST\r\nhost: HOST\r\n\r\n', 400],
  ['two hosts of HTTP/1.0', 'GET PATH HTTP/1.0\r\nHost: HOST\r\nHost: other.example\r\n\r\n', 400],
  ['two hosts in one header', 'GET PATH HTTP/1.1\r\nHost: HOST, other.example\r\n\r\n', 400],
  ['a host with a path', 'GET PATH HTTP/1.1\r\nHost: HOST/path\r\n\r\n', 400],
  ['a host with a user', 'GET PATH HTTP/1.1\r\nHost: HOST@other.example\r\n\r\n', 400],
  ['a host with a space', 'GET PATH HTTP/1.1\r\nHost: HOST other.example\r\n\r\n', 400],
  [
    'two hosts of an upgrade',
    'GET PATH HTTP/1.1\r\nHost: HOST\r\nHost: other.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    400,
  ],
  ['a folded header', get('X-A: b\r\n c\r\n'), 400],
  ['a folded first header', 'GET PATH HTTP/1.1\r\n Host: HOST\r\n\r\n', 400],
  ['a space before the colon', get('X-A : b\r\n'), 400],
  ['a header without a colon', get('X-A\r\n'), 400],
  ['a header without a name', get(': b\r\n'), 400],
  ['NUL in a value', get('X-A: b\0c\r\n'), 400],
  ['NUL in a name', get('X-\0A: b\r\n'), 400],
  ['a control character in a value', get('X-A: b\x01c\r\n'), 400],
  ['CR alone in a value', get('X-A: b\rX-B: c\r\n'), 400],
  ['CR alone between headers', 'GET PATH HTTP/1.1\rHost: HOST\r\r', 400],
  ['a header of 20 kB', get(`X-A: ${'x'.repeat(20_000)}\r\n`), 431],
  ['10,000 headers', get('a: b\r\n'.repeat(10_000)), 431],
  ['a length and chunks', get('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  ['chunks and a length', get('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  ['two lengths', get('Content-Length: 0\r\nContent-Length: 5\r\n', HIDDEN), 400],
  ['one length twice', get('Content-Length: 5\r\nContent-Length: 5\r\n', 'hello'), 400],
  ['two lengths in one header', sized('0, 5'), 400],
  ['a length with a sign', sized('+5'), 400],
  ['a negative length', sized('-5'), 400],
  ['a length in hexadecimal', sized('0x5'), 400],
  ['a length beyond all numbers', sized('99999999999999999999999'), 400],
  ['no length', sized(''), 400],
  ['a coding that nobody knows', get('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  ['a coding besides chunks', get('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  ['chunks before another coding', get('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  ['chunks twice', get('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  ['chunks, said with a tab', get('Transfer-Encoding:\x0bchunked\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  [
    'chunks of HTTP/1.0',
    `GET PATH HTTP/1.0\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    400,
  ],
  ['an expectation that nobody knows', get('Expect: 200-ok\r\n'), 400],
];

/**
 * Broken in their bodies, which handlers may have begun to answer for: one answer at most, and nothing hidden is found.
 */
const BODIES: readonly (readonly [name: string, bytes: string])[] = [
  ['a size that is no number', chunked(`zz\r\n${HIDDEN}`)],
  ['a negative size', chunked(`-1\r\n${HIDDEN}`)],
  ['a size beyond all numbers', chunked(`ffffffffffffffffff\r\n${HIDDEN}`)],
  ['a size with a prefix', chunked(`0x0\r\n\r\n${HIDDEN}`)],
  ['a chunk longer than it said', chunked(`1\r\nab\r\n0\r\n\r\n${HIDDEN}`)],
  ['no line after a chunk', chunked(`1\r\na0\r\n\r\n${HIDDEN}`)],
  ['LF alone after a size', chunked(`0\n\n${HIDDEN}`)],
  ['CR alone after a size', chunked(`0\r\r${HIDDEN}`)],
  ['an extension of 20 kB', chunked(`1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n${HIDDEN}`)],
  ['an extension with a line break', chunked(`1;a\nb\r\na\r\n0\r\n\r\n${HIDDEN}`)],
  ['trailers of 20 kB', chunked(`0\r\nx: ${'x'.repeat(20_000)}\r\n\r\n${HIDDEN}`)],
  ['a trailer that is no header', chunked(`0\r\nhello\r\n\r\n${HIDDEN}`)],
];

describe.each(['the API', 'an app'])('a malformed request to %s', (whose) => {
  const app = useApp();
  const server = new FakeAppServer();
  let deployed: Deployed;

  beforeAll(async () => {
    server.play = (answer) => {
      answer.send('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
    };
    await server.listen();
    deployed = await deployBehind(app, server);
  });
  afterAll(() => server.close());

  const isApi = whose === 'the API';
  const written = (text: string): string =>
    text
      .replaceAll('HOST', isApi ? 'api.test' : `${deployed.label}.localhost`)
      .replaceAll('PATH', isApi ? '/health' : '/path');
  const send = (text: string): Promise<string> =>
    app.raw(Buffer.from(written(text), 'latin1'), { port: isApi ? app.port : app.appsPort });
  const statusesOf = (text: string): number[] =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

  it.each(CASES)('is rejected: %s', async (_name, bytes, status) => {
    const asked = server.requests.length;
    const text = await send(bytes);
    expect(statusesOf(text)).toEqual([status]);
    expect(text).toMatch(/^connection: close$/im);
    expect(text).toMatch(/^x-request-id: req_/im);
    expect(text).toMatch(/^x-content-type-options: nosniff$/im);
    expect(text).toMatch(/^content-security-policy: default-src 'none';.* base-uri 'none';.*frame-ancestors 'none'$/im);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    // A request that cannot be parsed names no host, so each listener answers in its own format.
    if (isApi)
      expect(JSON.parse(body)).toMatchObject({
        error: { status, docs_url: expect.stringContaining('/errors/') },
        meta: { request_id: expect.any(String) },
      });
    else expect(head).toMatch(/^content-type: (?:text\/html|application\/json); charset=utf-8$/im);
    expect(server.requests.length).toBe(asked);
  });

  it.each(BODIES)('hides no second request in its chunks: %s', async (_name, bytes) => {
    const text = await send(bytes);
    expect(statusesOf(text).length).toBeLessThanOrEqual(1);
    expect(server.requests.filter((request) => request.includes('/hidden'))).toEqual([]);
  });

  it('gets one response when the rest is broken', async () => {
    const visitor = await RawConnection.open(isApi ? app.port : app.appsPort);
    const answer = await visitor.ask(written('POST PATH HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n'));
    expect(answer.status).toBe(isApi ? 405 : 200);
    visitor.write(written(`zz\r\n${HIDDEN}`));
    await visitor.closed();
    expect(visitor.unread).toBe('');
  });

  it('does not affect other requests', async () => {
    expect((await app.fetch('/health')).status).toBe(200);
    expect(statusesOf(await send(get()))).toEqual([200]);
    expect(statusesOf(await send('GET http://HOSTPATH HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n'))).toEqual([
      isApi ? 200 : 400,
    ]);
    expect(statusesOf(await send('GET PATH HTTP/1.0\r\nHost: HOST\r\n\r\n'))).toEqual([200]);
    expect(statusesOf(await send('\r\n\r\nGET PATH HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n'))).toEqual([
      200,
    ]);
    expect(statusesOf(await send(`GET PATH HTTP/1.1\r\nHost: HOST\r\n\r\n${get()}`))).toEqual([200, 200]);
  });

  if (!isApi) {
    it('gets a page and not JSON on app hosts', async () => {
      const text = await send('TRACE PATH HTTP/1.1\r\nHost: HOST\r\n\r\n');
      expect(text).toContain('<small>405 method_not_allowed</small>');
      expect(await send('CONNECT HOST:80 HTTP/1.1\r\nHost: HOST\r\n\r\n')).toContain(
        '<small>405 method_not_allowed</small>',
      );
    });
  }
});
