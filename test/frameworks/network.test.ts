import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, send } from '../support/make.js';
import { hasNetworkDevice } from '../support/network-device.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { TestHosts } from '../support/test-hosts.js';
import { testRedisUrl } from '../support/test-redis.js';
import { npmRegistry } from '../support/npm-registry.js';
import { eventually, useApp } from '../support/test-app.js';

const LONG = 900_000;
jest.setTimeout(2 * LONG);

const PORTS = { postgres: 5432, redis: 6379, api: 8080 };
const PASSWORD = 'the-password-of-the-guestbook';

const registry = npmRegistry();

const isShort = process.env['FRAMEWORKS_SHORT'] === '1';
const canRun = TestHosts.obstacle === undefined && hasNetworkDevice;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Nothing is replaced: a push, packages from the registry, an isolated build, and a server whose network leads to a
 * host with a public address, on which PostgreSQL, Redis and an API listen.
 */
(canRun ? describe : describe.skip)('an app that is pushed, with a database and an API on another host', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'network-apps-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ DATA_DIR: dataDirectory, BUILD_ALLOWED_HOSTS: registry.host });
  const make = new Make(app);
  const git = new GitClient();
  const servers: Server[] = [];
  let hosts: TestHosts;
  let database: TestDatabase;

  beforeAll(async () => {
    hosts = await TestHosts.start([]);
    database = await createTestDatabase({ migrated: false });
    await query('CREATE TABLE entries (id serial PRIMARY KEY, text text NOT NULL)');
    const api = createServer((_request, response) => response.end('{"says":"sunny"}'));
    await hosts.serve(PORTS.api, await socketOf(api));
    await hosts.serve(PORTS.postgres, await socketOf(relayTo(process.env['TEST_POSTGRES_URL']!, PORTS.postgres)));
    await hosts.serve(PORTS.redis, await socketOf(relayTo(testRedisUrl(), PORTS.redis)));
  });

  afterAll(async () => {
    await hosts.stop();
    for (const server of servers) server.close();
    await database.drop();
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  // A project from a template with PostgreSQL is deployed with the tests of the web app.
  const cases = ['express-redis', ...(isShort ? [] : ['next-pg', 'next-prisma'])];
  it.each(cases)('%s reads and writes rows, and shows what the API says', async (name) => {
    const { key, project, deploy } = await pushed(name);
    const url = deploy.aliases[0] as string;
    expect((await asked(url)).text).toContain('The weather is sunny.');
    const text = `written by ${name}`;
    expect(await asked(`${url}/api/entries`, { text })).toMatchObject({ status: 201 });
    expect(await asked(url)).toMatchObject({ status: 200, text: expect.stringContaining(`Entry: ${text}`) });
    if (name.startsWith('next')) {
      expect(await query('SELECT text FROM entries WHERE text = $1', [text])).toHaveLength(1);
      // Scripts and requests of the page name its deploy, so that it stays with it after the next one.
      expect((await asked(url)).text).toContain(`?dpl=${deploy.id}`);
    }
    if (name !== 'next-pg') return;

    const buildLog = (await app.fetch(`/api/v1/deploys/${deploy.id}/logs`, as(key))).text;
    let printed = '';
    await eventually(async () => {
      printed = (await app.fetch(`/api/v1/projects/${project}/runtime-logs`, as(key))).text;
      return printed.includes('Connecting to');
    }, 'the server has printed its variable');
    // Both have printed the variable: its place is there, and its value is not.
    for (const log of [buildLog, printed]) expect(log).not.toContain(PASSWORD);
    expect(buildLog).toContain('[secret');
  });

  async function pushed(name: string): Promise<{ key: string; project: string; deploy: any }> {
    const key = await make.key(await make.person({ plan: 'pro' }));
    const repoUrl = expectStatus(201, await app.post('/api/v1/repositories', { name }, as(key))).body.data
      .repo_url as string;
    const project = expectStatus(201, await app.post('/api/v1/projects', { name, repo_url: repoUrl }, as(key))).body
      .data.id as string;
    const targets = ['production', 'preview'];
    const variables = Object.entries(variablesOf()).map(([variable, value]) => ({ name: variable, value, targets }));
    expectStatus(200, await send(app, ['PUT', `/api/v1/projects/${project}/env`], { variables }, as(key)));

    const remote = repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`));
    await git.run(['clone', '--quiet', remote, name]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: name });
    cpSync(join(__dirname, 'fixtures', name, 'files'), git.path(name), { recursive: true });
    writeFileSync(git.path(name, '.npmrc'), `registry=${registry.href}\n`);
    await git.run(['add', '--all', '--force', '.'], { cwd: name });
    await git.run(['commit', '--quiet', '-m', name], { cwd: name });
    await git.run(['push', '--quiet', 'origin', 'HEAD'], { cwd: name });
    let deploy: any;
    await eventually(
      async () => {
        const { data } = expectStatus(200, await app.fetch(`/api/v1/projects/${project}/deploys`, as(key))).body;
        deploy = data.find(({ finished_at: finishedAt }: any) => finishedAt !== undefined);
        return deploy !== undefined;
      },
      `the deploy of ${name} is over`,
      LONG,
    );
    if (deploy.state !== 'ready')
      throw new Error(
        `${JSON.stringify(deploy.error)}\n` +
          (await app.fetch(`/api/v1/deploys/${deploy.id}/logs`, as(key))).text.slice(-8_000),
      );
    return { key, project, deploy };
  }

  function variablesOf(): Record<string, string> {
    const address = hosts.publicAddress;
    const { username, pathname } = new URL(database.url);
    return {
      DATABASE_URL: `postgres://${username}:${PASSWORD}@${address}:${PORTS.postgres}${pathname}`,
      REDIS_URL: `redis://${address}:${PORTS.redis}`,
      API_URL: `http://${address}:${PORTS.api}`,
      // Prisma fetches this program from a host that a build of CI does not reach, and needs it for migrations only.
      PRISMA_SCHEMA_ENGINE_BINARY: '/usr/bin/true',
    };
  }

  async function query(text: string, values: unknown[] = []): Promise<unknown[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** The address of a server on a Unix socket, which hosts in network namespaces of their own reach as well. */
  async function socketOf(server: Server): Promise<string> {
    const path = join(dataDirectory, `socket-${servers.length}`);
    servers.push(server);
    server.listen(path);
    await once(server, 'listening');
    return path;
  }

  function asked(address: string, body?: unknown): Promise<Answer> {
    const { host, pathname } = new URL(address);
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          port: app.appsPort,
          host: '127.0.0.1',
          path: pathname,
          method: body === undefined ? 'GET' : 'POST',
          headers: { host, 'content-type': 'application/json' },
          agent: false,
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            text += part;
          });
          response.once('end', () => {
            resolve({ status: response.statusCode!, text });
          });
          response.once('error', reject);
        },
      );
      request.once('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
});

/** A server that carries its connections to one on loopback or on a Unix socket. */
function relayTo(text: string, port: number): Server {
  const url = new URL(text);
  const host = decodeURIComponent(url.hostname);
  const target =
    url.protocol === 'unix:'
      ? { path: url.pathname }
      : host.startsWith('/')
        ? { path: join(host, `.s.PGSQL.${port}`) }
        : { host, port: Number(url.port === '' ? port : url.port) };
  return createTcpServer((from) => {
    const to = connect(target);
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  });
}
