import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { isRunning } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';

jest.setTimeout(onThisMachine(150_000));

const ROOT = join(__dirname, '../..');
const START = join(ROOT, 'scripts/start.mjs');

/** The one that npm puts before it in PATH is the pinned one. */
function nodeOfTheMachine(): string {
  const places = process.env['PATH']!.split(delimiter).filter((place) => !place.includes('node_modules'));
  return places.map((place) => join(place, 'node')).find((path) => existsSync(path)) ?? process.execPath;
}

describe('starting the service', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = makeMemoryDirectory();
  });

  afterEach(async () => {
    await ServiceProcess.killAll();
    removeScratchDirectory(dataDir);
  });

  it('starts in an empty directory, runs every language, and keeps rows and allowances over a restart', async () => {
    const first = await ServiceProcess.start({ command: ['npm', 'start'], env: { DATA_DIR: dataDir } });
    await expectPinnedNode(first);
    expect(await first.get('/ready')).toMatchObject({ status: 200, body: { status: 'ok' } });
    for (const [language, code, remaining_executions] of [
      ['python', 'print(1 + 2)', 9],
      ['javascript', 'console.log(1 + 2)', 8],
      ['typescript', 'const a: number = 1; console.log(a + 2)', 7],
    ] as const) {
      expect(await first.sandbox(language, code)).toMatchObject({
        status: 200,
        body: { data: { language, status: 'succeeded', stdout: '3\n' }, meta: { remaining_executions } },
      });
    }
    await query('CREATE TABLE kept AS SELECT 42 AS answer');
    const applied = await query('SELECT * FROM migrations');
    first.signal('SIGINT');
    expect((await first.ended).code).toBe(0);

    const command = [nodeOfTheMachine(), START];
    const second = await ServiceProcess.start({ command, env: { DATA_DIR: dataDir } });
    await expectPinnedNode(second);
    expect((await second.sandbox('python', '1')).body.meta).toMatchObject({ remaining_executions: 6 });
    expect(await query('SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await query('SELECT * FROM migrations')).toEqual(applied);

    // Nothing else may use the same data.
    const { code, stderr } = await ServiceProcess.run({ env: { DATA_DIR: dataDir } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\nAnother service is running on this data/);
    expect(isRunning(second.pid)).toBe(true);
    expect(await second.get('/ready')).toMatchObject({ status: 200 });
  });

  it('reports every invalid setting without its value, and starts nothing', async () => {
    const { code, stdout, stderr } = await ServiceProcess.run({
      env: {
        DATA_DIR: join(dataDir, 'never'),
        PORT: '99999',
        DATABASE_URL: 'mysql://root:hunter2@db/x',
        OPS_TOKEN: 'tooshort',
        TRUST_PROXY: 'everyone',
        SANDBOX_TIMEOUT_MS: '31000',
        LOG_LEVEL: 'loud',
        PUBLIC_URL: 'nowhere',
      },
    });
    expect(code).toBe(1);
    for (const name of [
      'PORT',
      'DATABASE_URL',
      'OPS_TOKEN',
      'TRUST_PROXY',
      'SANDBOX_TIMEOUT_MS',
      'LOG_LEVEL',
      'PUBLIC_URL',
    ])
      expect(stderr).toContain(name);
    expect(stdout + stderr).not.toMatch(/hunter2|tooshort|99999|everyone|31000|loud|nowhere/);
    expect(existsSync(join(dataDir, 'never'))).toBe(false);
  });

  it.each(['api', 'worker'] as const)('refuses the role %s without shared servers', async (role) => {
    const { code, stderr } = await ServiceProcess.run({ role, env: { DATA_DIR: join(dataDir, 'never') } });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Bad configuration:\n  DATABASE_URL must be set for the role ${role}\n` +
        `  REDIS_URL must be set for the role ${role}\n  API_KEY_PEPPER must be set for the role ${role}\n` +
        `  SECRETS_KEY must be set for the role ${role}\n`,
    );
    expect(existsSync(join(dataDir, 'never'))).toBe(false);
  });

  it.each([
    [
      'api',
      {
        DATABASE_URL: 'postgres://app:hunter2@127.0.0.1:1/x',
        REDIS_URL: 'redis://127.0.0.1:1',
        API_KEY_PEPPER: 'p'.repeat(32),
        SECRETS_KEY: 's'.repeat(32),
      },
    ],
    ['migrate', { DATABASE_URL: 'postgres://app:hunter2@localhost:1/x' }],
    ['seed', { DATABASE_URL: 'postgres://app:hunter2@name.invalid/x' }],
  ] as const)('names the setting of an unreachable database for the role %s, without its value', async (role, env) => {
    const { code, stdout, stderr } = await ServiceProcess.run({ role, env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\nThe PostgreSQL server of DATABASE_URL cannot be reached \(E[A-Z]+\)\.\n$/);
    expect(stdout).not.toContain('hunter2');
  });

  it('reports a taken port, and leaves nothing behind', async () => {
    const outsider = createServer().listen(0, '127.0.0.1');
    await once(outsider, 'listening');
    const { port } = outsider.address() as AddressInfo;
    try {
      const { code, stderr } = await ServiceProcess.run({ env: { DATA_DIR: dataDir, PORT: String(port) } });
      expect(code).toBe(1);
      expect(stderr).toBe(`\nPort ${port} is in use. Set PORT to another port, or stop the program that uses it.\n`);
      for (const pidFile of ['redis/data/redis.pid', 'postgres/data/postmaster.pid'])
        expect(existsSync(join(dataDir, pidFile))).toBe(false);
    } finally {
      outsider.close();
    }
  });

  it.each([
    ['a host that is not of this machine', { HOST: '203.0.113.1' }, /^\nHOST is not an address of this machine/],
    ['a host that does not exist', { HOST: 'name.invalid' }, /^\nHOST is not an address of this machine/],
    ['a data directory that is a file', { DATA_DIR: '/dev/null' }, /^\nDATA_DIR cannot be used: .*\/dev\/null/],
  ])('reports %s', async (_what, env, message) => {
    const { code, stderr } = await ServiceProcess.run({ env: { DATA_DIR: dataDir, ...env } });
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  async function expectPinnedNode(service: ServiceProcess): Promise<void> {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const { version } = packages[`node_modules/node-linux-${process.arch}`]!;
    expect(await fetch(`${service.url}/metrics`).then((answer) => answer.text())).toContain(`node="v${version}"`);
  }

  async function query(sql: string): Promise<unknown[]> {
    const client = new Client({ host: join(dataDir, 'postgres/run'), user: 'app', database: 'postgres', port: 5432 });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
});
