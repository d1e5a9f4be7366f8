import { AppServersService } from '../../src/modules/hosting/app-servers.service.js';
import { PROXY_TIMES } from '../../src/modules/hosting/http/proxy-limits.js';
import { type Deployed, visit } from '../support/hosting.js';
import { deployBehind, FakeAppServer, type Play } from '../support/fake-app-server.js';
import { RawConnection } from '../support/raw-connection.js';
import { eventually, useApp } from '../support/test-app.js';

const LONG = 'x'.repeat(20_000);
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `x-${index}: y\r\n`).join('');
const ok = (headers: string, body = ''): string => `HTTP/1.1 200 OK\r\n${headers}\r\n${body}`;

describe('an app whose server answers with', () => {
  const app = useApp();
  const server = new FakeAppServer();
  let deployed: Deployed;

  beforeAll(async () => {
    await server.listen();
    deployed = await deployBehind(app, server);
  });
  afterAll(() => server.close());

  const plays = (play: Play): void => {
    server.play = play;
  };
  const page = (path = '/', options: Parameters<typeof visit>[3] = {}): ReturnType<typeof visit> =>
    visit(app, deployed.label, path, options);
  const connection = (): Promise<RawConnection> => RawConnection.open(app.appsPort);
  const upgrade = `GET / HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  const asked = (text: string): string => text.replaceAll('HOST', `${deployed.label}.localhost`);

  it.each([
    ['status 000', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'],
    ['status 099', 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n'],
    ['status 600', 'HTTP/1.1 600 X\r\ncontent-length: 0\r\n\r\n'],
    ['status 999', 'HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n'],
    ['a control character in the reason', 'HTTP/1.1 200 O\x01K\r\ncontent-length: 0\r\n\r\n'],
    ['DEL in the reason', 'HTTP/1.1 200 O\x7fK\r\ncontent-length: 0\r\n\r\n'],
    ['a control character in a value', ok('x-a: b\x01c\r\ncontent-length: 0\r\n')],
    ['NUL in a value', ok('x-a: b\0c\r\ncontent-length: 0\r\n')],
    ['a space in a name', ok('x a: b\r\ncontent-length: 0\r\n')],
    ['no name', ok(': b\r\ncontent-length: 0\r\n')],
    ['two different lengths', ok('content-length: 1\r\ncontent-length: 2\r\n', 'ab')],
    ['a length and chunks', ok('content-length: 3\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n')],
    ['a negative length', ok('content-length: -1\r\n')],
    ['a length beyond all numbers', ok('content-length: 99999999999999999999999\r\n')],
    ['a coding that hides the body', ok('transfer-encoding: gzip\r\n', 'abc')],
    ['two codings', ok('transfer-encoding: gzip, chunked\r\n', '3\r\nabc\r\n0\r\n\r\n')],
    ['headers of 20 kB', ok(`x-long: ${LONG}\r\ncontent-length: 0\r\n`)],
    ['a thousand headers', ok(`${lines(1_000)}content-length: 0\r\n`)],
    ['no HTTP', 'hello\r\n\r\n'],
    ['HTTP/2', 'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['half a status line', 'HTTP/1.1 2'],
    ['half a head', 'HTTP/1.1 200 OK\r\nx-a: '],
    ['nothing', ''],
    [
      '101 that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    ],
    ['101 to nothing', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['informational answers without end', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)],
  ])('%s: answers 502 app_failed and keeps the connection open', async (_what, bytes) => {
    plays((answer) => {
      answer.send(bytes);
      if (!bytes.endsWith('\r\n\r\n')) answer.end();
    });
    const visitor = await connection();
    const failed = await visitor.ask(asked('GET / HTTP/1.1\r\nHost: HOST\r\n\r\n'));
    expect([failed.status, failed.body.includes('502 app_failed')]).toEqual([502, true]);
    plays((answer) => {
      answer.send(ok('content-length: 5\r\n', 'after'));
    });
    expect(await visitor.ask(asked('GET / HTTP/1.1\r\nHost: HOST\r\n\r\n'))).toMatchObject({
      status: 200,
      body: 'after',
    });
    visitor.close();
  });

  it.each([
    [
      'early hints first',
      'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
      200,
      'hi',
    ],
    ['trailers', ok('transfer-encoding: chunked\r\ntrailer: x-end\r\n', '2\r\nhi\r\n0\r\nx-end: 1\r\n\r\n'), 200, 'hi'],
    ['no length, until it closes', 'HTTP/1.0 200 OK\r\n\r\nhi', 200, 'hi'],
    ['an empty reason', 'HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nhi', 200, 'hi'],
    ['a length for 204, and a body', 'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nhi', 204, ''],
    ['more than it said', ok('content-length: 2\r\n', 'hi and more'), 200, 'hi'],
    [
      'a second answer at once',
      `${ok('content-length: 2\r\n', 'hi')}${ok('content-length: 5\r\n', 'wrong')}`,
      200,
      'hi',
    ],
  ])('%s: it is passed on whole and nothing more', async (_what, bytes, status, body) => {
    plays((answer) => {
      answer.send(bytes);
      if (bytes.startsWith('HTTP/1.0')) answer.end();
    });
    const visitor = await connection();
    const first = await visitor.ask(asked('GET / HTTP/1.1\r\nHost: HOST\r\n\r\n'));
    expect([first.status, first.body]).toEqual([status, body]);
    expect(first.head).not.toMatch(/^(?:trailer|link):/im);
    if (status === 204) expect(first.head).not.toMatch(/content-length/i);
    plays((answer) => {
      answer.send(ok('content-length: 5\r\n', 'after'));
    });
    expect(await visitor.ask(asked('GET / HTTP/1.1\r\nHost: HOST\r\n\r\n'))).toMatchObject({
      status: 200,
      body: 'after',
    });
    visitor.close();
  });

  it.each([
    ['fewer bytes than it said', ok('content-length: 10\r\n', 'half')],
    ['chunks that never end', ok('transfer-encoding: chunked\r\n', '4\r\nhalf\r\n')],
    ['a chunk of no size', ok('transfer-encoding: chunked\r\n', '4\r\nhalf\r\nzz\r\n')],
  ])('%s: the visitor sees that something is missing', async (_what, bytes) => {
    plays((answer) => {
      answer.send(bytes);
      answer.end();
    });
    await expect(page()).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it('an answer that nobody asked for, later: nobody gets it', async () => {
    plays((answer) => {
      answer.send(ok('content-length: 2\r\n', 'hi'));
    });
    expect((await page()).text).toBe('hi');
    const idle = [...server.connections];
    expect(idle.length).toBeGreaterThan(0);
    for (const socket of idle) socket.write(ok('content-length: 5\r\n', 'wrong'));
    await eventually(() => idle.every(({ destroyed }) => destroyed), 'the connection is closed');
    expect((await page()).text).toBe('hi');
  });

  it('an answer before the request has come: the next request on the connection is still found', async () => {
    plays((answer) => {
      answer.send('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\nconnection: close\r\n\r\nbig');
      answer.end();
    });
    const visitor = await connection();
    const early = visitor.ask(asked('POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 200000\r\n\r\nbegin'));
    expect(await early).toMatchObject({ status: 413, body: 'big' });
    plays((answer) => {
      answer.send(ok('content-length: 5\r\n', 'after'));
    });
    visitor.write('x'.repeat(200_000 - 5));
    expect(await visitor.ask(asked('GET / HTTP/1.1\r\nHost: HOST\r\n\r\n'))).toMatchObject({
      status: 200,
      body: 'after',
    });
    visitor.close();
  });

  it('cookies for the parent domain: they are for the host of the app alone', async () => {
    plays((answer) => {
      answer.send(
        ok(
          [
            'set-cookie: a=1; Domain=localhost; Path=/',
            'Set-Cookie: b=2;domain =.localhost;Secure',
            'set-cookie: c=3; DOMAIN; HttpOnly',
            'set-cookie: domain=x; path=/',
            'set-cookie: __Host-d=4; Path=/; Secure',
            `set-cookie: e=5${'; domain=localhost'.repeat(500)}`,
            'content-length: 0',
            '',
          ].join('\r\n'),
        ),
      );
    });
    expect((await page()).headers['set-cookie']).toEqual([
      'a=1; Path=/',
      'b=2;Secure',
      'c=3; HttpOnly',
      'domain=x; path=/',
      '__Host-d=4; Path=/; Secure',
      'e=5',
    ]);
  });

  it('instructions to a proxy of the operator: they are left out', async () => {
    plays((answer) => {
      answer.send(
        ok(
          'X-Accel-Redirect: /etc/passwd\r\nX-Sendfile: /etc/passwd\r\nX-Accel-Buffering: no\r\ncontent-length: 0\r\n',
        ),
      );
    });
    const { headers } = await page();
    expect([headers['x-accel-redirect'], headers['x-sendfile'], headers['x-accel-buffering']]).toEqual([
      undefined,
      undefined,
      'no',
    ]);
  });

  describe('when it is asked to upgrade', () => {
    it.each([
      ['a status that is none', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n', 502],
      ['a control character in the reason of a refusal', 'HTTP/1.1 403 N\x01o\r\ncontent-length: 0\r\n\r\n', 502],
      ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', 502],
      ['101 without a protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 502],
      ['a thousand headers', `HTTP/1.1 101 X\r\n${lines(1_000)}connection: upgrade\r\nupgrade: websocket\r\n\r\n`, 502],
      ['nothing', '', 502],
      ['a refusal in chunks', 'HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n', 403],
    ])('%s', async (_what, bytes, status) => {
      plays((answer) => {
        answer.send(bytes);
        if (bytes === '') answer.end();
      });
      const visitor = await connection();
      const { status: got, body } = await visitor.ask(asked(upgrade));
      expect([got, status === 403 ? body : 'page']).toEqual([status, status === 403 ? 'no' : 'page']);
      await visitor.closed();
    });

    it('frames of any kind: they are passed on as they are', async () => {
      const frames = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256));
      plays((answer) => {
        answer.send(
          'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: WebSocket\r\ncontent-length: 5\r\n\r\n',
        );
        answer.send(frames);
        answer.end();
      });
      const visitor = await connection();
      visitor.write(asked(upgrade));
      await visitor.closed();
      const all = visitor.received;
      const end = all.indexOf('\r\n\r\n') + 4;
      expect(all.subarray(0, end).toString()).toBe(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n',
      );
      expect(all.subarray(end).equals(frames)).toBe(true);
    });

    it.each([
      [
        'with a body',
        'POST / HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\nhello',
      ],
      [
        'to HTTP/2, past the proxy',
        'GET / HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: h2c, websocket\r\n\r\n',
      ],
    ])('%s: it is refused before the app sees it', async (_what, bytes) => {
      const before = server.requests.length;
      const visitor = await connection();
      expect((await visitor.ask(asked(bytes))).status).toBe(400);
      await visitor.closed();
      expect(server.requests.length).toBe(before);
    });
  });

  describe('for longer than it may', () => {
    const times = { ...PROXY_TIMES };
    afterEach(() => {
      Object.assign(PROXY_TIMES, times);
    });

    it('a stream: it is ended, however busy', async () => {
      Object.assign(PROXY_TIMES, { requestLifeMs: 500 });
      let sent: NodeJS.Timeout;
      plays((answer) => {
        answer.send(ok('content-type: text/event-stream\r\n'));
        sent = setInterval(() => {
          answer.send('data: x\n\n');
        }, 50);
      });
      await expect(page()).rejects.toThrow(/aborted|ECONNRESET/);
      clearInterval(sent!);
    });

    it('silence: it is 504', async () => {
      Object.assign(PROXY_TIMES, { answerWithinMs: 300 });
      plays(() => undefined);
      expect(await page()).toMatchObject({ status: 504 });
      const visitor = await connection();
      expect(await visitor.ask(asked(upgrade))).toMatchObject({ status: 504 });
    });

    it.each([
      ['a silent upgraded connection', { upgradeIdleMs: 300 }, 0],
      ['a busy upgraded connection', { upgradeLifeMs: 600 }, 50],
    ])('%s: both ends are closed', async (_what, change, everyMs) => {
      Object.assign(PROXY_TIMES, change);
      let sent: NodeJS.Timeout | undefined;
      plays((answer) => {
        answer.send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
        if (everyMs > 0)
          sent = setInterval(() => {
            answer.send('frame');
          }, everyMs);
      });
      const visitor = await connection();
      visitor.write(asked(upgrade));
      await visitor.closed();
      clearInterval(sent);
      expect(visitor.received.toString()).toMatch(/^HTTP\/1\.1 101 /);
      await eventually(
        () => [...server.connections].every(({ destroyed }) => destroyed),
        'the end to the app is closed too',
      );
    });

    it('keeps an upgraded connection while bytes go either way', async () => {
      Object.assign(PROXY_TIMES, { upgradeIdleMs: 1_500 });
      plays((answer) => {
        answer.send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
        answer.echo();
      });
      const visitor = await connection();
      visitor.write(asked(upgrade));
      const until = performance.now() + 4_000;
      while (performance.now() < until) {
        visitor.write('x');
        await new Promise((resolve) => {
          setTimeout(resolve, 200);
        });
      }
      expect(visitor.isOpen).toBe(true);
      visitor.close();
    });
  });

  describe('what it is asked', () => {
    const headersSeen = async (request: string): Promise<string[]> => {
      const before = server.requests.length;
      plays((answer) => {
        answer.send(ok('content-length: 2\r\n', 'hi'));
      });
      const visitor = await connection();
      expect((await visitor.ask(asked(request))).status).toBe(200);
      visitor.close();
      return server.requests[before]!.split('\r\n').slice(1).filter(Boolean);
    };

    it('holds nothing that a caller says of its own address', async () => {
      const names = [
        'X-Real-IP',
        'x-real-ip',
        'X_Real_IP',
        'CF-Connecting-IP',
        'True-Client-IP',
        'X-Client-IP',
        'X-Cluster-Client-IP',
        'Fastly-Client-IP',
        'Forwarded',
        'X-Forwarded',
        'X-Original-Forwarded-For',
        'X-Forwarded-Port',
        'X_Forwarded_For',
        'X-Forwarded-Server',
        'Client-IP',
        'X-Azure-ClientIP',
        'Proxy',
        'X-Original-URL',
        'X-Rewrite-URL',
      ];
      const seen = await headersSeen(
        'GET / HTTP/1.1\r\nHost: HOST\r\n' +
          `${names.map((name) => `${name}: 6.6.6.6\r\n`).join('')}X-Forwarded-For: 6.6.6.6, 203.0.113.9\r\n` +
          'X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: gopher\r\n\r\n',
      );
      expect(seen.join('\n')).not.toMatch(/6\.6\.6\.6|evil|gopher/);
      expect(seen).toEqual(
        expect.arrayContaining([
          'X-Forwarded-For: 203.0.113.9, 127.0.0.1',
          'X-Real-IP: 203.0.113.9',
          'X-Forwarded-Proto: http',
          `X-Forwarded-Host: ${deployed.label}.localhost`,
        ]),
      );
    });

    it('says where it ends, though the caller names that header in Connection', async () => {
      const body = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
      const seen = await headersSeen(
        'GET / HTTP/1.1\r\nHost: HOST\r\nConnection: content-length, host, x-mine\r\nX-Mine: 1\r\n' +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      expect(seen).toEqual(
        expect.arrayContaining([`Content-Length: ${body.length}`, `Host: ${deployed.label}.localhost`]),
      );
      expect(seen.join('\n')).not.toMatch(/x-mine/i);
      expect(server.requests.every((request) => !request.startsWith('GET /smuggled'))).toBe(true);
    });
  });

  it('is not asked for by anything that the platform holds after all of this', () => {
    expect(app.get(AppServersService).counts.running).toBe(0);
    expect(app.log().filter(({ msg }) => msg === 'Could not pass on the answer of an app.')).toEqual([]);
  });
});
