import { connect } from 'node:net';
import { request as httpRequest } from 'node:http';
import { AppServersService } from '../../src/modules/hosting/app-servers.service.js';
import type { ServerCommand } from '../../src/modules/hosting/built-output.js';
import { built, deploy, type Files, giveEnvironment, NO_ROUTING, runtimeLogs, visit } from '../support/hosting.js';
import { eventually, useApp } from '../support/test-app.js';
import { hasNetworkDevice } from '../support/network-device.js';

/** An app that shows what it was asked, and does what its tests need. */
const SERVER = `
const http = require('node:http');
const fs = require('node:fs');
const crypto = require('node:crypto');
const started = Date.now();
console.log('starting with', process.env.GREETING);
const server = http.createServer((request, response) => {
  const url = new URL(request.url, 'http://app');
  if (url.pathname === '/echo') {
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-app', ['a', 'b']);
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk)).on('end', () => response.end(JSON.stringify({
      method: request.method, url: request.url, headers: request.headers,
      body: Buffer.concat(chunks).toString() })));
  } else if (url.pathname === '/pid') response.end(String(started) + crypto.randomUUID().slice(0, 0));
  else if (url.pathname === '/slow') { response.write('first ');
    setTimeout(() => response.end('last'), Number(url.searchParams.get('ms'))); }
  else if (url.pathname === '/upload') { let bytes = 0;
    request.on('data', (chunk) => { bytes += chunk.length; }).on('end', () => response.end(String(bytes))); }
  else if (url.pathname === '/crash') { console.error('crashing now'); process.exit(3); }
  else if (url.pathname === '/hostile') request.socket.end('HTTP/1.1 000 X\\r\\ncontent-length: 0\\r\\n\\r\\n');
  else if (url.pathname === '/break') { response.write('half'); setTimeout(() => response.destroy(), 50); }
  else if (url.pathname === '/try') {
    const tried = {};
    for (const [name, work] of Object.entries({
      writeApp: () => fs.writeFileSync('/app/server.js', 'x'), removeApp: () => fs.unlinkSync('/app/server.js'),
      writePublic: () => fs.writeFileSync('/app/public/x', 'x'), writeBeside: () => fs.writeFileSync('/app/x', 'x'),
      fillBeside: () => fs.writeFileSync('/app/y', Buffer.alloc(80_000_000)),
      writeRoot: () => fs.writeFileSync('/x', 'x'),
      writeCache: () => fs.writeFileSync('/app/.cache/x', 'x'),
        fillCache: () => fs.writeFileSync('/app/.cache/y', Buffer.alloc(80_000_000)),
        writeTmp: () => fs.writeFileSync('/tmp/x', 'x'),
        shadow: () => fs.readFileSync('/etc/shadow'), home: () => fs.readdirSync('/root'),
        var: () => fs.readdirSync('/var'),
    })) { try { work(); tried[name] = 'done'; } catch (error) { tried[name] = error.code; } }
    const socket = require('node:net').connect({ host: '198.51.100.1', port: 80 });
    socket.on('error', (error) => response.end(JSON.stringify({
      ...tried, network: error.code }))).on('connect', () => response.end('connected'));
  } else { response.statusCode = url.pathname === '/' ? 200 : 404; response.end('from the server'); }
});
server.on('upgrade', (request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n');
  socket.pipe(socket);
});
server.listen(process.env.PORT, process.env.HOSTNAME);
`;

/** Time limit for servers that never start. A busy machine takes a second to start one that answers. */
const START_TIMEOUT_MS: Readonly<Record<string, number>> = {
  'never.js': 1_500,
  'waits.js': 1_500,
  'broken.js': 6_000,
  'empty.js': 3_000,
};

const output = (
  files: Files,
  command: readonly string[] = ['node', 'server.js'],
  directory = '',
  settings: Pick<ServerCommand, 'healthPath' | 'startTimeoutMs'> = {},
): ReturnType<typeof built> =>
  built(files, {
    kind: 'server',
    framework: 'node',
    server: { command, directory, ...settings },
    static: [
      { directory: 'public', prefix: '/', immutable: false },
      { directory: '.next/static', prefix: '/_next/static', immutable: true },
    ],
  });

describe('a deploy with a server', () => {
  const app = useApp();
  const servers = (): AppServersService => app.get(AppServersService);
  const never = new AbortController().signal;
  let label: string;
  let deployId: string;

  // These deploys are known to hosting only.
  const greet = (): void => {
    giveEnvironment(app, { GREETING: 'those who visit' });
  };

  beforeAll(async () => {
    greet();
    ({ label, deployId } = await deploy(
      app,
      output({ 'server.js': SERVER, 'public/robots.txt': 'static', '.next/static/chunk.js': 'chunk' }),
    ));
  });

  it('serves static files without starting the server, and hidden files only where meant', async () => {
    expect((await visit(app, label, '/robots.txt')).text).toBe('static');
    expect((await visit(app, label, '/_next/static/chunk.js')).headers['cache-control']).toContain('immutable');
    expect(servers().counts).toMatchObject({ running: 0, frozen: 0 });
  });

  it('is started once for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => visit(app, label, '/pid')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(servers().counts).toMatchObject({ running: 1, frozen: 0, started: 1 });
    expect((await app.fetch('/metrics')).text).toMatch(/^app_servers\{state="running"\} 1$/m);
    expect((await runtimeLogs(app, deployId)).map(({ text }) => text)).toEqual(['starting with those who visit']);
  });

  it('follows the redirects, rewrites and headers of its deploy', async () => {
    const routing = {
      ...NO_ROUTING,
      redirects: [{ source: '/old/:path*', destination: '/:path*', statusCode: 301 }],
      rewrites: [{ source: '/mirror/:word', destination: '/echo?word=:word' }],
      headers: [{ source: '/(.*)', headers: [{ key: 'X-App', value: 'of the deploy' }] }],
    };
    const ruled = await deploy(app, { ...output({ 'server.js': SERVER, 'public/a.txt': 'a' }), routing });
    expect(await visit(app, ruled.label, '/old/echo', { method: 'POST' })).toMatchObject({
      status: 301,
      headers: { location: '/echo', 'x-app': 'of the deploy' },
    });
    const mirrored = await visit(app, ruled.label, '/mirror/x%20y?more=1', { method: 'POST', body: 'b' });
    expect(mirrored.headers['x-app']).toBe('of the deploy');
    expect(JSON.parse(mirrored.text)).toMatchObject({ method: 'POST', url: '/echo?word=x%20y&more=1', body: 'b' });
    expect((await visit(app, ruled.label, '/a.txt')).headers['x-app']).toBe('of the deploy');
    await servers().stop(ruled.deployId);
  });

  it('receives method, path, query, body and headers unchanged, and the address of the caller', async () => {
    const { body, headers } = await visit(app, label, '/echo?a=%20b', {
      method: 'POST',
      body: 'hello',
      headers: {
        'X-Mine': 'yes',
        'content-type': 'text/plain',
        'x-forwarded-for': '203.0.113.9',
        connection: 'close, x-hop',
        'x-hop': 'secret',
        te: 'trailers',
        'proxy-authorization': 'x',
        'x-forwarded-proto': 'https',
      },
    });
    const seen = JSON.parse(body.toString()) as { headers: Record<string, string> };
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/echo?a=%20b',
      body: 'hello',
      headers: {
        'x-mine': 'yes',
        host: `${label}.localhost:${app.appsPort}`,
        'x-forwarded-proto': 'https',
        'x-forwarded-host': `${label}.localhost:${app.appsPort}`,
      },
    });
    expect(seen.headers['x-forwarded-for']).toMatch(/^203\.0\.113\.9, /);
    for (const name of ['x-hop', 'te', 'proxy-authorization']) expect(seen.headers[name]).toBeUndefined();
    expect(headers['x-app']).toBe('a, b');
    expect(Object.keys(headers).filter((name) => /^x-(service|request|trace)/.test(name))).toEqual([]);
  });

  it('streams in both directions', async () => {
    expect((await visit(app, label, '/upload', { method: 'PUT', body: Buffer.alloc(5_000_000) })).text).toBe('5000000');
    const first = await new Promise<string>((resolve, reject) => {
      const asked = httpRequest(
        {
          port: app.appsPort,
          host: '127.0.0.1',
          path: '/slow?ms=20000',
          headers: { host: `${label}.localhost` },
          agent: false,
        },
        (response) => {
          response.once('data', (chunk: Buffer) => {
            resolve(chunk.toString());
            asked.destroy();
          });
          response.once('error', () => undefined);
        },
      );
      asked.once('error', reject);
      asked.end();
    });
    expect(first).toBe('first ');
  });

  it('ends the response when the server closes it early', async () => {
    await expect(visit(app, label, '/break')).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it('returns 502 for an invalid HTTP response, and keeps working', async () => {
    expect(await visit(app, label, '/hostile')).toMatchObject({
      status: 502,
      text: expect.stringContaining('app_failed'),
    });
    expect((await visit(app, label, '/')).text).toBe('from the server');
  });

  it('supports WebSocket upgrades', async () => {
    const socket = connect(app.appsPort, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.write(`GET /socket HTTP/1.1\r\nHost: ${label}.localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
    await eventually(() => text.includes('\r\n\r\n'), 'it is upgraded', 10_000);
    expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    socket.write('there and back');
    await eventually(() => text.endsWith('there and back'), 'it is echoed', 10_000);
    socket.destroy();
  });

  it('ignores upgrade requests of other hosts', async () => {
    expect(
      await app.raw('GET /health HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 200 /);
    const { label: plain } = await deploy(app, built({ 'index.html': 'x' }));
    expect(
      await app.raw(`GET / HTTP/1.1\r\nHost: ${plain}.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, {
        port: app.appsPort,
      }),
    ).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('has no host files, only public addresses, and write access to /tmp and beside its files', async () => {
    expect(JSON.parse((await visit(app, label, '/try')).text)).toEqual({
      writeApp: 'EROFS',
      removeApp: 'EBUSY',
      writePublic: 'EROFS',
      writeBeside: 'done',
      fillBeside: 'ENOSPC',
      writeRoot: 'EROFS',
      writeCache: 'done',
      fillCache: 'ENOSPC',
      writeTmp: 'done',
      shadow: 'ENOENT',
      home: 'ENOENT',
      var: 'ENOENT',
      network: hasNetworkDevice ? 'ECONNREFUSED' : 'ENETUNREACH',
    });
  });

  it('restarts after a crash and a pause, and keeps the last log lines', async () => {
    const crashing = await deploy(app, output({ 'server.js': SERVER }));
    expect((await visit(app, crashing.label, '/crash')).status).toBe(502);
    await eventually(async () => (await visit(app, crashing.label, '/')).status === 200, 'it is back', 20_000);
    const texts = (await runtimeLogs(app, crashing.deployId)).map(({ stream, text }) => `${stream}: ${text}`);
    expect(texts).toEqual(expect.arrayContaining(['stderr: crashing now', 'system: The server ended: exit status 3.']));
  });

  describe('before it goes live', () => {
    it('is started with its variables and has to answer', async () => {
      const fresh = await deploy(app, output({ 'server.js': SERVER }));
      await servers().check(fresh.deployId, { environment: { GREETING: 'good morning' }, signal: never });
      expect((await runtimeLogs(app, fresh.deployId)).map(({ text }) => text)).toContain('starting with good morning');
    });

    it('gets its requests on another port when it has one written into it', async () => {
      const own = await deploy(
        app,
        output({
          'server.js':
            'require("node:net").createServer().listen(4001);' +
            'require("node:http").createServer((q, s) => s.end("from 4000")).listen(4000)',
        }),
      );
      const lines: string[] = [];
      await servers().check(own.deployId, {
        environment: {},
        signal: never,
        onLine: (_stream, text) => lines.push(text),
      });
      expect(lines.join('\n')).toMatch(
        /port in PORT, which is 3000, but on 4000 and 4001\. Requests go to port 4000\./,
      );
      expect((await visit(app, own.label, '/')).text).toBe('from 4000');
    });

    it.each([
      ['node', 'missing.js', /ended before it answered.+ It did not find the file missing\.js\./, /Cannot find module/],
      ['node', 'ends.js', /ended by itself, without an error: node ends\.js\. .+ Set start_command/, /done/],
      ['node', 'throws.js', /ended before it answered/, /no database/],
      ['node', 'writes.js', /ended before it answered.+ read-only: a server writes new files to/, /EROFS/],
      ['sh', 'fails.sh', /ended before it answered.+ Set start_command/, /said by a shell/],
      ['sh', 'silent.sh', /ended before it answered.+ It printed nothing\. Check .+ \.env\.example\.$/, undefined],
      ['node', 'waits.js', /within 1\.5 s\. It asks for the variable DATABASE_URL, [^.]+\. Add [^.]+\.$/, undefined],
      ['node', 'never.js', /did not listen on port 3000 within 1\.5 s\. .*start_timeout_ms/, undefined],
      ['node', 'broken.js', /GET \/ answered with 500 for 6 s\. Set health_path/, undefined],
      ['node', 'empty.js', /GET \/ answered with 500 for 3 s\. Its database has no table post\. [^.]+\.$/, /no such/],
    ])('is rejected when it does not start: %s %s', async (program, file, message, line) => {
      const bad = await deploy(
        app,
        output(
          {
            'ends.js': 'console.log("done")',
            'throws.js': 'throw new Error("no database")',
            'writes.js': 'require("fs").writeFileSync("public/x", "")',
            'public/index.html': 'x',
            'fails.sh': 'echo said by a shell; exit 1',
            'silent.sh': 'exit 1',
            'waits.js': 'console.log("DATABASE_URL is required"); setInterval(() => {}, 1000)',
            'never.js': 'setInterval(() => {}, 1000)',
            'empty.js':
              'require("node:http").createServer((q, s) => { s.statusCode = 500; s.end(); ' +
              'console.error("no such table: post"); }).listen(process.env.PORT)',
            'broken.js':
              'require("node:http").createServer((q, s) => { s.statusCode = 500; s.end(); }).listen(process.env.PORT)',
          },
          [program, file],
          '',
          file in START_TIMEOUT_MS ? { startTimeoutMs: START_TIMEOUT_MS[file]! } : {},
        ),
      );
      const lines: string[] = [];
      const failure = await servers()
        .check(bad.deployId, { environment: {}, signal: never, onLine: (_stream, text) => lines.push(text) })
        .then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(failure).toMatchObject({ name: 'ServerDidNotStart', message: expect.stringMatching(message) });
      if (line !== undefined) expect(lines.join('\n')).toMatch(line);
    });

    it('stops waiting when aborted', async () => {
      const slow = await deploy(app, output({ 'never.js': 'setInterval(() => {}, 1000)' }, ['node', 'never.js']));
      const abort = new AbortController();
      setTimeout(() => {
        abort.abort(new Error('cancelled'));
      }, 300);
      await expect(servers().check(slow.deployId, { environment: {}, signal: abort.signal })).rejects.toThrow(
        'cancelled',
      );
    });
  });

  it('runs a shell command in its own directory', async () => {
    const nested = await deploy(
      app,
      output(
        {
          'apps/web/run.js':
            'require("node:http").createServer((q, s) => s.end(process.cwd())).listen(process.env.PORT, "localhost")',
        },
        ['sh', '-c', 'node run.js'],
        'apps/web',
      ),
    );
    expect((await visit(app, nested.label, '/')).text).toBe('/app/apps/web');
  });

  it('is checked at its health path', async () => {
    const files = {
      'server.js':
        "require('node:http').createServer((q, s) => { s.statusCode = q.url === '/healthz?deep=1' ? 204 : 500; " +
        's.end(); }).listen(process.env.PORT)',
    };
    const healthy = await deploy(app, output(files, undefined, '', { healthPath: '/healthz?deep=1' }));
    await servers().check(healthy.deployId, { environment: {}, signal: never });
  });

  it('has npm, npx and the programs of its packages', async () => {
    const { label: scripted } = await deploy(
      app,
      output(
        {
          'package.json': JSON.stringify({ scripts: { start: 'answer' } }),
          'node_modules/.bin/answer': '#!/bin/sh\nnpx --version > /tmp/npx; exec node server.js\n',
          'server.js':
            "const npx = require('node:fs').readFileSync('/tmp/npx', 'utf8'); require('node:http').createServer(" +
            '(q, s) => s.end(process.env.npm_lifecycle_event + " " + npx)).listen(process.env.PORT)',
        },
        ['npm', 'start'],
        '',
        { startTimeoutMs: 60_000 },
      ),
    );
    expect((await visit(app, scripted)).text).toMatch(/^start \d+\./);
  }, 90_000);

  it.each(['pnpm', 'yarn'])(
    'runs the scripts and programs that %s is asked for',
    async (name) => {
      const scripts = { first: `${name} run second first`, second: `${name} answer` };
      const { label } = await deploy(
        app,
        output(
          {
            'apps/web/package.json': JSON.stringify({ scripts }),
            'apps/web/node_modules/.bin/answer': '#!/bin/sh\nexec node server.js "$@"\n',
            'apps/web/server.js':
              "require('node:http').createServer((q, s) => s.end(process.env.npm_lifecycle_event + ' ' + " +
              "process.argv.slice(2).join(' '))).listen(process.env.PORT)",
          },
          [name, name === 'yarn' ? '--cwd' : '-C', 'apps/web', 'first', '--of', 'all'],
          '',
          { startTimeoutMs: 60_000 },
        ),
      );
      expect((await visit(app, label)).text).toBe('second first --of all');
    },
    90_000,
  );

  it('names the call of a package manager that needs the package manager itself', async () => {
    const filtered = await deploy(app, output({ 'package.json': '{}' }, ['pnpm', '--filter', 'web', 'start']));
    await expect(servers().check(filtered.deployId, { environment: {}, signal: never })).rejects.toThrow(
      'Servers have npm only, which does not run "pnpm --filter web start". Set start_command to one that starts the ' +
        'server itself, such as node dist/server.js, and root_directory to its directory.',
    );
  });

  it('may listen late at a cold start, and is ended with a note when it takes too long', async () => {
    const late =
      "setTimeout(() => require('node:http').createServer((q, s) => s.end('late')).listen(process.env.PORT), 1000)";
    const { label: slow } = await deploy(app, output({ 'server.js': late }));
    expect((await visit(app, slow)).text).toBe('late');

    const idle = 'setInterval(() => {}, 1000)';
    const stuck = await deploy(app, output({ 'server.js': idle }, undefined, '', { startTimeoutMs: 1_500 }));
    expect(await visit(app, stuck.label)).toMatchObject({ status: 502, text: expect.stringContaining('app_failed') });
    await eventually(
      async () => (await runtimeLogs(app, stuck.deployId)).some(({ text }) => text.includes('did not listen on port')),
      'the log says why',
      10_000,
    );
  });

  it('stops with the service', async () => {
    await visit(app, label, '/pid');
    expect(servers().counts.running).toBeGreaterThan(0);
    const old = servers();
    await app.restart();
    greet();
    expect(old.counts).toMatchObject({ running: 0, frozen: 0 });
    expect((await visit(app, label, '/pid')).status).toBe(200);
  });
});

describe('the server of a deploy without requests', () => {
  const app = useApp({ APP_FREEZE_AFTER_MS: '200', APP_STOP_AFTER_MS: '1500' });

  it('is frozen after APP_FREEZE_AFTER_MS, woken by a request, and stopped after APP_STOP_AFTER_MS', async () => {
    giveEnvironment(app);
    const counts = (): object => app.get(AppServersService).counts;
    const { label } = await deploy(app, output({ 'server.js': SERVER }));
    const started = (await visit(app, label, '/pid')).text;
    await eventually(() => app.get(AppServersService).counts.frozen === 1, 'the server is frozen', 20_000);
    expect((await visit(app, label, '/pid')).text).toBe(started);
    expect(counts()).toMatchObject({ started: 1 });
    await eventually(
      () => app.get(AppServersService).counts.running + app.get(AppServersService).counts.frozen === 0,
      'the server is stopped',
      20_000,
    );
    expect((await visit(app, label, '/pid')).text).not.toBe(started);
    expect(counts()).toMatchObject({ started: 2, crashed: 0 });
  });
});

describe('the server of a deploy', () => {
  const app = useApp();

  it.each(['20', '22', '24'])(
    'runs on the Node of its build: %s',
    async (nodeVersion) => {
      giveEnvironment(app);
      const server =
        "require('node:http').createServer((request, response) => " +
        'response.end(process.version)).listen(process.env.PORT, process.env.HOSTNAME)';
      const { label } = await deploy(app, { ...output({ 'server.js': server }), nodeVersion });
      expect((await visit(app, label)).text).toMatch(new RegExp(`^v${nodeVersion}[.]`));
      // Other versions than the service's own come from the registry, as fast as it is.
    },
    180_000,
  );
});
