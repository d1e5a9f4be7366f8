import { connect } from 'node:net';
import type { ServiceProcess } from '../../support/service-process.js';
import { type Files, type Tenant, visit } from './tenant.js';

/** The attack, which is repeated from the moment its deploy is ready until it is stopped. */
type Drive = (service: ServiceProcess, url: string) => Promise<unknown>;

export interface HostileDeploy {
  readonly name: string;
  readonly files: Files;
  readonly prepare?: (tenant: Tenant) => Promise<void>;
  readonly drive?: Drive;
  /** A deploy that is not to become ready. */
  readonly fails?: boolean;
}

const server = (source: string): Files => ({
  'package.json': JSON.stringify({ name: 'app', private: true, scripts: { start: 'node server.js' } }),
  'server.js': source,
});

const build = (script: string): Files => ({
  'package.json': JSON.stringify({ name: 'app', private: true, scripts: { build: 'node build.js' } }),
  'build.js':
    `require('node:fs').mkdirSync('dist', { recursive: true }); ` +
    `require('node:fs').writeFileSync('dist/index.html', 'built');\n${script}`,
});

/** The first request, by which the deploy is checked, is answered well. */
const raw = (answer: string): Files =>
  server(`
  let first = true;
  require('node:net').createServer((socket) => socket.on('error', () => {}).once('data', () => {
    socket.end(first ? 'HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nhi' : ${JSON.stringify(answer)});
    first = false;
  })).listen(process.env.PORT, process.env.HOSTNAME);`);

const http = (body: string, before = ''): Files =>
  server(`${before}
  require('node:http').createServer((request, response) => {
    ${body} }).listen(process.env.PORT, process.env.HOSTNAME);`);

/** From the first request on, which is the check of the deploy. */
const PRINT =
  'let printing; const print = () => { printing ??= setInterval(() => { for (let n = 0; n < 200; ' +
  `n++) process.stdout.write('\\n'.repeat(60000)); }, 1); };`;

/** Requests that the app never answers, and upgrades that say nothing. */
const hold: Drive = async (service, url) => {
  const host = new URL(url).host;
  const sockets = Array.from({ length: 20 }, (_, index) => {
    const socket = connect(service.appsPort, '127.0.0.1').on('error', () => undefined);
    const upgrade = index % 2 === 0 ? '' : 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    socket.write(`GET /hold HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n`);
    return socket;
  });
  await new Promise((resolve) => {
    setTimeout(resolve, 2_000);
  });
  for (const socket of sockets) socket.destroy();
};

/** A webhook whose body arrives a byte at a time, from a sender without a signature. */
const slowWebhooks: Drive = async (service) => {
  const sockets = Array.from({ length: 8 }, () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(
      'POST /webhooks/github HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        'Content-Length: 100000\r\n\r\n{',
    );
    return socket;
  });
  await new Promise((resolve) => {
    setTimeout(resolve, 2_000);
  });
  for (const socket of sockets) socket.destroy();
};

const visits =
  (count: number, path = '/', headers: Readonly<Record<string, string>> = {}): Drive =>
  (service, url) =>
    Promise.all(Array.from({ length: count }, () => visit(service, url, path, headers)));

const PATTERNS = ['/:a*/:b*/x', '/(.*)a(.*)b(.*)c', '/:p(.*)/:q(.*)/y', '/((?:a|aa)+)z', '/:one*/:two*/:three*/z'];

/** The twelve that are deployed at once. */
export const HOSTILE_DEPLOYS: readonly HostileDeploy[] = [
  {
    name: 'answers with a status that is none',
    files: raw('HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'),
    drive: visits(5),
  },
  {
    name: 'answers with control characters in reason and headers',
    files: raw('HTTP/1.1 200 O\x01K\r\nx: a\x00b\r\ncontent-length: 0\r\n\r\n'),
    drive: visits(5),
  },
  {
    name: 'has a line of 30 kB in _headers',
    files: { 'index.html': 'x', _headers: `/*\n  X-Long${' '.repeat(30_000)}: value\n${' '.repeat(30_000)}x\n` },
    drive: visits(5),
  },
  {
    name: 'has rules that backtrack, and is asked for long paths',
    files: {
      'index.html': 'x',
      'vercel.json': JSON.stringify({ redirects: PATTERNS.map((source) => ({ source, destination: '/elsewhere' })) }),
    },
    drive: visits(5, `/${'a/'.repeat(7_000)}`),
  },
  ...['first', 'second', 'third'].map((which) => ({
    name: `prints newlines, the ${which} of three`,
    files: http(`response.end('hi', print);`, PRINT),
    drive: visits(1),
  })),
  {
    name: 'holds requests and upgrades open',
    files: http(`if (request.url !== '/hold') response.end('hi');`),
    drive: hold,
  },
  {
    name: 'keeps all processors busy',
    files: http(
      `response.end('hi');`,
      `const { Worker } = require('node:worker_threads');
    for (let n = 0; n < 8; n++) new Worker('for (;;);', { eval: true });`,
    ),
    drive: visits(1),
  },
  {
    name: 'writes without end in its build',
    files: build(`const fs = require('node:fs'); const file = fs.openSync('big', 'w'); fs.unlinkSync('big');
    const end = Date.now() + 20_000; for (let n = 0; n < 3000 && Date.now() < end;
      n++) fs.writeSync(file, Buffer.alloc(1048576, 1)); process.exit(1);`),
    fails: true,
  },
  {
    name: 'has secrets of 4,100 lines and prints without end in its build',
    prepare: (tenant) =>
      tenant.setSecret('LINES', Array.from({ length: 4_100 }, (_, line) => `secret-${line}`).join('\n')),
    files: build(
      `const end = Date.now() + 10_000; while (Date.now() < end) process.stdout.write('x\\n'.repeat(30000)); ` +
        'process.exit(1);',
    ),
    fails: true,
  },
  {
    name: 'sends endless answers and cookies for its neighbours',
    files: http(`
    response.setHeader('set-cookie', 'wide=1; Domain=localhost');
    const more = () => { while (!response.destroyed && response.write('x'.repeat(65536))); };
    response.on('drain', more); request.url === '/endless' ? more() : response.end('hi');`),
    drive: (service, url) =>
      Promise.all([slowWebhooks(service, url), ...Array.from({ length: 5 }, () => abandoned(service, url))]),
  },
];

/** A download that is begun and left. */
async function abandoned(service: ServiceProcess, url: string): Promise<void> {
  const socket = connect(service.appsPort, '127.0.0.1').on('error', () => undefined);
  socket.write(`GET /endless HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
  await new Promise((resolve) => {
    setTimeout(resolve, 1_000);
  });
  socket.destroy();
}
