import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue, QueueEvents, Worker, type ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { addressOf } from '../../src/platform/redis/redis-address.js';
import { startEmbeddedRedis } from '../../src/roles/embedded/embedded-redis.js';
import { type EmbeddedServer } from '../../src/roles/embedded/embedded-server.js';
import { isRunning, killNow, startServersProcess, until } from '../support/embedded-servers.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';

const asRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };

describe('the embedded Redis', () => {
  let dataDir: string;
  const running: EmbeddedServer[] = [];
  const connections: Redis[] = [];

  beforeEach(() => {
    dataDir = makeMemoryDirectory();
  });

  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.disconnect();
    await Promise.all(running.splice(0).map((server) => server.stop()));
    removeScratchDirectory(dataDir);
  });

  async function start(directory = dataDir, durable = true): Promise<EmbeddedServer> {
    const server = await startEmbeddedRedis({ dataDir: directory, durable });
    running.push(server);
    return server;
  }

  function connect({ url }: EmbeddedServer): Redis {
    const redis = new Redis({ ...addressOf(url), maxRetriesPerRequest: 1 });
    redis.on('error', () => undefined);
    connections.push(redis);
    return redis;
  }

  /** One file up to Redis 6, the newest of several since. */
  function appendOnlyFile(): string {
    const data = join(dataDir, 'redis/data');
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
    return join(
      data,
      names.find((name) => name.endsWith('.incr.aof') || name === 'appendonly.aof')!,
    );
  }

  it('is reachable at its URL through ioredis and runs a BullMQ job', async () => {
    const server = await start();
    expect(await connect(server).ping()).toBe('PONG');

    const connection = { ...addressOf(server.url), maxRetriesPerRequest: null } as ConnectionOptions;
    const queue = new Queue('sums', { connection });
    const events = new QueueEvents('sums', { connection });
    const worker = new Worker<{ n: number }, number>('sums', (job) => Promise.resolve(job.data.n * 2), { connection });
    await events.waitUntilReady();
    const job = await queue.add('double', { n: 21 });
    expect(await job.waitUntilFinished(events)).toBe(42);
    await Promise.all([worker.close(), queue.close(), events.close()]);
  });

  it('evicts nothing, has 64 databases and no port', async () => {
    const redis = connect(await start());
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await redis.config('GET', 'databases')).toEqual(['databases', '64']);
    expect(await redis.config('GET', 'port')).toEqual(['port', '0']);
    expect(await redis.config('GET', 'appendfsync')).toEqual(['appendfsync', 'everysec']);
  });

  it('keeps acknowledged writes over a stop and a kill', async () => {
    const first = await start();
    await connect(first).set('before', 'stop');
    await first.stop();
    expect(await first.exited).toEqual({ requested: true, message: 'Redis ended (exit status 0).' });

    const second = await start();
    const redis = connect(second);
    await redis.set('before', 'kill');
    process.kill(second.pid, 'SIGKILL');
    expect(await second.exited).toMatchObject({ requested: false });

    expect(await connect(await start()).get('before')).toBe('kill');
  });

  it('starts with a truncated last command', async () => {
    const first = await start();
    await connect(first).set('kept', 'yes');
    await first.stop();
    appendFileSync(appendOnlyFile(), '*3\r\n$3\r\nSET\r\n$4\r\nlost');

    expect(await connect(await start()).get('kept')).toBe('yes');
  });

  it('waits until a large file is loaded', async () => {
    const first = await start();
    const redis = connect(first);
    await redis.eval(`for i = 1, 200000 do redis.call('SET', 'key' .. i, i) end`, 0);
    await first.stop();

    const second = await start();
    expect(await connect(second).dbsize()).toBe(200_000);
  });

  it('refuses a second service on the same data', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(/^Another service is running on this data \(Redis in /);
    expect(await connect(first).ping()).toBe('PONG');
  });

  it('reports a failed start with the end of its log', async () => {
    const first = await start();
    await connect(first).set('a', 'b');
    await first.stop();
    writeFileSync(appendOnlyFile(), 'this is no command\r\n');

    await expect(start()).rejects.toThrow(/^Redis did not start\. (.*\n)*.*Bad file format/);
    await expect(start()).rejects.toThrow(/^Redis did not start/);
  });

  it('stores nothing when it is not durable', async () => {
    const first = await start(dataDir, false);
    await connect(first).set('kept', 'no');
    await first.stop();
    expect(await connect(await start(dataDir, false)).get('kept')).toBeNull();
  });

  it('is inaccessible to other users', async () => {
    const { url } = await start();
    const socket = new URL(url).pathname;
    if (asRoot) {
      const script =
        `require('net').connect(process.argv[1]).on('connect', () => { console.log('connected'); ` +
        `process.exit(); }).on('error', (e) => console.log(e.code))`;
      for (const user of [{ uid: 1, gid: 1 }, NOBODY]) {
        expect(
          spawnSync(process.execPath, ['-e', script, socket], { ...user, cwd: '/', encoding: 'utf8' }).stdout,
        ).toBe('EACCES\n');
      }
    } else {
      expect(statSync(join(dataDir, 'redis')).mode & 0o777).toBe(0o700);
    }
  });

  it('accepts a DATA_DIR that is deep and has spaces and special characters', async () => {
    const odd = join(dataDir, 'my data %41 #1 "quoted"');
    expect(await connect(await start(odd)).ping()).toBe('PONG');
    const deep = join(dataDir, 'd'.repeat(60), 'e'.repeat(60));
    const server = await start(deep);
    expect(await connect(server).ping()).toBe('PONG');
    await server.stop();
    expect(existsSync(new URL(server.url).pathname)).toBe(false);
  });

  it('ends with its service, and the next start waits for that', async () => {
    const service = await startServersProcess(dataDir);
    await killNow(service.node);
    const redis = await start();
    expect(isRunning(service.redis.pid)).toBe(false);
    expect(await connect(redis).ping()).toBe('PONG');
    await until('PostgreSQL is gone', () => !isRunning(service.postgres.pid));
  });

  it('explains how to install Redis when it is missing or too old', async () => {
    const programs = join(dataDir, 'programs');
    mkdirSync(programs);
    symlinkSync(
      spawnSync('/bin/sh', ['-c', 'command -v flock'], { encoding: 'utf8' }).stdout.trim(),
      join(programs, 'flock'),
    );
    const env = { PATH: programs };
    await expect(startServersProcess(dataDir, { env })).rejects.toThrow(/^Redis is missing\. .*system-packages\.mjs/);

    writeFileSync(join(programs, 'redis-server'), '#!/bin/sh\necho "Redis server v=6.0.16 sha=00000000:0"\n', {
      mode: 0o755,
    });
    await expect(startServersProcess(dataDir, { env })).rejects.toThrow(
      /is Redis 6\.0, and the service needs 6\.2 or later/,
    );
  });
});
