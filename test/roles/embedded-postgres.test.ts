import 'reflect-metadata';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { startEmbeddedPostgres } from '../../src/roles/embedded/embedded-postgres.js';
import { type EmbeddedServer } from '../../src/roles/embedded/embedded-server.js';
import { isRunning, killNow, startServersProcess, until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';

const asRoot = process.getuid?.() === 0;
/** Present on every Linux, and neither us nor the user as whom root runs the servers. */
const OTHER_USER = { uid: 1, gid: 1 };
const NOBODY = { uid: 65_534, gid: 65_534 };

describe('the embedded PostgreSQL', () => {
  let dataDir: string;
  let lines: string[];
  const running: EmbeddedServer[] = [];

  beforeEach(() => {
    dataDir = makeMemoryDirectory();
    lines = [];
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
    removeScratchDirectory(dataDir);
  });

  async function start(directory = dataDir): Promise<EmbeddedServer> {
    const server = await startEmbeddedPostgres({ dataDir: directory, durable: false, log: (line) => lines.push(line) });
    running.push(server);
    return server;
  }

  const home = (): string => join(dataDir, 'postgres');

  it('is reachable at its URL through pg and typeorm, whatever PG variables are set', async () => {
    const { url, pid } = await start();
    process.env['PGPORT'] = '1';
    process.env['PGHOST'] = '/nowhere';
    try {
      expect(await query(url, 'SELECT current_user AS name')).toEqual([{ name: 'app' }]);

      const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
      expect(await dataSource.query('SELECT current_database() AS name')).toEqual([{ name: 'postgres' }]);
      await dataSource.destroy();
    } finally {
      delete process.env['PGPORT'];
      delete process.env['PGHOST'];
    }
    expect(readFileSync(`/proc/${pid}/comm`, 'utf8')).toBe('postgres\n');
  });

  it('keeps all data across a restart', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);
    expect(await first.exited).toMatchObject({ requested: true });

    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('stops at once with connected clients', async () => {
    const server = await start();
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();

    const before = performance.now();
    await server.stop();
    expect(performance.now() - before).toBeLessThan(onThisMachine(3_000));
  });

  it('refuses a second service on the same data', async () => {
    const { url } = await start();
    await expect(start()).rejects.toThrow(/^Another service is running on this data/);
    await expect(startServersProcess(dataDir)).rejects.toThrow(/^Another service is running on this data/);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('lets one of two concurrent first starts win', async () => {
    const outcomes = await Promise.allSettled([start(), start()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('ends within two seconds of its killed service, and keeps what was committed', async () => {
    const service = await startServersProcess(dataDir);
    await query(service.postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');

    await killNow(service.node);
    await until('PostgreSQL is gone', () => !isRunning(service.postgres.pid), 2_000);
    await until('Redis is gone', () => !isRunning(service.redis.pid), 2_000);

    const { url } = await start();
    expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('waits for servers of a killed service that still stop', async () => {
    const service = await startServersProcess(dataDir);
    await killNow(service.node);
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('stops an orphan without service and watcher, and takes over its data', async () => {
    const service = await startServersProcess(dataDir);
    await query(service.postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const shell = parentOf(service.postgres.pid);
    const watchers = childrenOf(shell).filter((pid) => pid !== service.postgres.pid);
    for (const pid of [...watchers, shell]) process.kill(pid, 'SIGKILL');
    await killNow(service.node);
    expect(isRunning(service.postgres.pid)).toBe(true);

    const { url } = await start();
    expect(isRunning(service.postgres.pid)).toBe(false);
    expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('ignores an unrelated process in a stale pid file', async () => {
    await (await start()).stop();
    const outsider = spawn('sleep', ['60'], asRoot ? NOBODY : {});
    try {
      writeFileSync(join(home(), 'data/postmaster.pid'), `${outsider.pid!}\n${home()}/data\n`);
      const { url } = await start();
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(isRunning(outsider.pid!)).toBe(true);
    } finally {
      outsider.kill('SIGKILL');
    }
  });

  it('rejects data of another major version', async () => {
    await (await start()).stop();
    const version = join(home(), 'data/PG_VERSION');
    writeFileSync(version, '17\n');
    const before = listing(join(home(), 'data'));

    await expect(start()).rejects.toThrow(
      /was written by PostgreSQL 17, and this service carries PostgreSQL 18\. Nothing was changed/,
    );
    expect(listing(join(home(), 'data'))).toEqual(before);
  });

  it('reports a failed initdb, and starts over next time', async () => {
    await expect(startServersProcess(dataDir, { before: 'ulimit -f 2000' })).rejects.toThrow(
      /could not be created in .*:\n(.*\n)*.*File too large/,
    );
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('reports a failed start with the end of its log', async () => {
    await (await start()).stop();
    writeFileSync(join(home(), 'data/postgresql.conf'), 'no_such_setting = 1\n', { flag: 'a' });
    await expect(start()).rejects.toThrow(
      /^PostgreSQL did not start\. .*\n(.*\n)*.*unrecognized configuration parameter "no_such_setting"/,
    );
    await expect(start()).rejects.toThrow(/did not start/);
  });

  it.each(['', 'd'.repeat(60) + '/' + 'e'.repeat(60)])(
    'reports an unexpected end, and restarts at the same URL (DATA_DIR/%s)',
    async (sub) => {
      const first = await start(join(dataDir, sub));
      await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      process.kill(first.pid, 'SIGKILL');
      const exit = await first.exited;
      expect(exit).toMatchObject({ requested: false });
      expect(exit.message).toContain('PostgreSQL ended (exit status 137). The end of ');

      const second = await start(join(dataDir, sub));
      await first.stop();
      expect(second.url).toBe(first.url);
      expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      await Promise.all([second.stop(), second.stop()]);
    },
  );

  it('ends with its watcher, which cannot be lost without notice', async () => {
    const server = await start();
    process.kill(parentOf(server.pid), 'SIGKILL');
    expect(await server.exited).toMatchObject({ requested: false });
    expect(isRunning(server.pid)).toBe(false);
  });

  it('does not keep a process alive that has nothing more to do', async () => {
    const service = await startServersProcess(dataDir, { mode: 'leave' });
    await until('the process ended by itself', () => service.node.exitCode === 0);
    await until('PostgreSQL is gone', () => !isRunning(service.postgres.pid), 2_000);
  });

  it('listens on no port, and is inaccessible to other users', async () => {
    const { url } = await start();
    expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);

    const socket = join(socketDirectory(url), '.s.PGSQL.5432');
    if (asRoot) {
      expect(connectAs(OTHER_USER, socket)).toBe('EACCES');
      expect(connectAs(NOBODY, socket)).toBe('EACCES');
      expect(spawnSync('ls', [join(home(), 'data')], NOBODY).status).not.toBe(0);
    } else {
      expect(statSync(home()).mode & 0o777).toBe(0o700);
    }
  });

  it('uses a shorter socket path when DATA_DIR is deep, and removes it on stop', async () => {
    const deep = join(dataDir, 'd'.repeat(60), 'e'.repeat(60));
    const server = await start(deep);
    const directory = socketDirectory(server.url);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(directory.startsWith(deep)).toBe(false);
    if (asRoot) expect(connectAs(NOBODY, join(directory, '.s.PGSQL.5432'))).toBe('EACCES');

    await server.stop();
    expect(existsSync(directory)).toBe(false);
  });

  it('starts a new log each time, and keeps the last one', async () => {
    const first = await start();
    await query(first.url, 'SELECT 1 / 0').catch(() => undefined);
    await first.stop();
    await start();
    expect(readFileSync(join(home(), 'server.log'), 'utf8')).not.toContain('division by zero');
    expect(readFileSync(join(home(), 'server.log.1'), 'utf8')).toContain('division by zero');
  });

  if (asRoot)
    describe('started by root', () => {
      it('stores its data elsewhere when its user cannot enter DATA_DIR', async () => {
        const closed = join(dataDir, 'closed');
        mkdirSync(closed, { mode: 0o700 });
        const inside = join(closed, 'data');
        try {
          const first = await start(inside);
          await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
          const target = readlinkSync(join(inside, 'postgres'));
          expect(target).toMatch(/^\/var\/lib\/service-platform\/[0-9a-f]{12}-postgres-/);
          expect(lines).toEqual([expect.stringContaining(`Its data is kept in ${target}`)]);
          expect(lstatSync(closed).mode & 0o777).toBe(0o700);
          await first.stop();

          const second = await start(inside);
          expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
          expect(lines).toHaveLength(1);
          await second.stop();
        } finally {
          removeScratchDirectory(inside);
        }
        await expect(start(inside).then(() => query(running.at(-1)!.url, 'SELECT * FROM kept'))).rejects.toThrow(
          /"kept" does not exist/,
        );
        await running.pop()!.stop();
        removeScratchDirectory(inside);
      });

      it('refuses to start empty when its data is missing', async () => {
        await (await start()).stop();
        const { mode } = statSync(dataDir);
        spawnSync('chmod', ['0700', dataDir]);
        await expect(start()).rejects.toThrow(/The user "nobody", which the server runs as, cannot reach the data/);
        spawnSync('chmod', [(mode & 0o777).toString(8), dataDir]);

        spawnSync('mv', [home(), `${home()}-away`]);
        spawnSync('ln', ['-s', '/nowhere', home()]);
        await expect(start()).rejects.toThrow(/is a link to data that no longer exists/);
        spawnSync('rm', [home()]);
      });

      it('runs as an ordinary user inside DATA_DIR, which root and that user do not mix up', async () => {
        spawnSync('chown', ['1:1', dataDir]);
        const service = await startServersProcess(dataDir, OTHER_USER);
        try {
          expect(statSync(home()).uid).toBe(OTHER_USER.uid);
          expect(statSync(home()).mode & 0o777).toBe(0o700);
          expect(statSync(`/proc/${service.postgres.pid}`).uid).toBe(OTHER_USER.uid);
          expect(await query(service.postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
          expect(connectAs(NOBODY, join(socketDirectory(service.postgres.url), '.s.PGSQL.5432'))).toBe('EACCES');
        } finally {
          await killNow(service.node);
        }
        await until('PostgreSQL is gone', () => !isRunning(service.postgres.pid), 2_000);
        await expect(start()).rejects.toThrow(/belongs to user 1\. Start the service as that user/);
      });
    });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function socketDirectory(url: string): string {
  return decodeURIComponent(new URL(url).hostname);
}

/** The code of the error that this user meets, or `connected`. */
function connectAs(user: { uid: number; gid: number }, socket: string): string {
  const script =
    `require('net').connect(process.argv[1]).on('connect', () => { console.log('connected'); process.exit(); ` +
    `}).on('error', (e) => console.log(e.code))`;
  return spawnSync(process.execPath, ['-e', script, socket], { ...user, cwd: '/', encoding: 'utf8' }).stdout.trim();
}

function parentOf(pid: number): number {
  return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

function listing(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).mtimeMs}`)
    .sort();
}
