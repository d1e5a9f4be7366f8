import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { findRedisProgram } from '../../src/roles/embedded/redis-program.js';
import { freePort } from './free-port.js';
import { onThisMachine } from './patience.js';
import { makeMemoryDirectory, removeScratchDirectory } from './scratch-directory.js';
import { eventually } from './test-app.js';

/** What a primary is called at the sentinels. */
const PRIMARY = 'service';
const DOWN_AFTER_MS = 1_000;

interface Server {
  readonly port: number;
  readonly child: ChildProcess;
}

interface GroupOptions {
  readonly replicas: number;
  readonly sentinels: number;
  /** Lines for the configuration of servers and sentinels. */
  readonly common?: readonly string[];
  readonly ofServers?: readonly string[];
  readonly ofSentinels?: readonly string[];
  /** True when `common` turns on TLS, and plain connections are refused. */
  readonly isTls?: boolean;
  /** Where others compete for the processors, from -20 (first) to 19. Only root may go below that of this process. */
  readonly priority?: number;
  /** How the group itself connects to its servers. */
  readonly client?: RedisOptions;
}

/** Redis servers of a test's own, on ports of this machine: a primary, replicas and sentinels. */
export class RedisGroup {
  readonly directory = makeMemoryDirectory();
  readonly sentinels: Server[] = [];
  private readonly servers: Server[] = [];
  private readonly linesTaken: number[] = [];

  constructor(private readonly options: GroupOptions) {}

  async start(): Promise<void> {
    const { replicas, sentinels } = this.options;
    const primary = await this.startServer();
    for (let count = 0; count < replicas; count++) await this.startServer(primary.port);
    for (let count = 0; count < sentinels; count++) await this.startSentinel(primary.port);
    if (sentinels > 1)
      await eventually(
        async () => {
          const known = await this.ask(this.sentinels[0]!.port, (redis) => redis.call('SENTINEL', 'MASTER', PRIMARY));
          const facts = known as string[];
          const valueOf = (name: string): number => Number(facts[facts.indexOf(name) + 1]);
          return valueOf('num-slaves') === replicas && valueOf('num-other-sentinels') === sentinels - 1;
        },
        'the sentinels know each other and the replicas',
        20_000,
      );
  }

  async stop(): Promise<void> {
    for (const { child } of [...this.sentinels, ...this.servers]) await kill(child);
    removeScratchDirectory(this.directory);
  }

  get primaryUrl(): string {
    return `redis://127.0.0.1:${this.servers[0]!.port}`;
  }

  /** The part of a `redis+sentinel` address after the credentials. */
  get sentinelHosts(): string {
    return `${this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${PRIMARY}`;
  }

  /** The one that the sentinels agree on. Another one that was frozen may believe to be it. */
  async primary(): Promise<Server> {
    const question = ['GET-MASTER-ADDR-BY-NAME', PRIMARY] as const;
    const address = (await this.ask(this.sentinels[0]!.port, (redis) =>
      redis.call('SENTINEL', ...question),
    )) as string[];
    const found = this.servers.find(({ port }) => port === Number(address[1]));
    if (found === undefined) throw new Error('No server is the primary.');
    return found;
  }

  async killPrimary(): Promise<number> {
    const { port, child } = await this.primary();
    await kill(child);
    return port;
  }

  /** Stops it without ending its connections, and returns what continues it. */
  async freezePrimary(): Promise<() => void> {
    const { child } = await this.primary();
    child.kill('SIGSTOP');
    return () => child.kill('SIGCONT');
  }

  /** Stops all replicas without ending their connections, and returns what continues them. */
  async freezeReplicas(): Promise<() => void> {
    const primary = await this.primary();
    const replicas = this.servers.filter((server) => server !== primary);
    for (const { child } of replicas) child.kill('SIGSTOP');
    return () => {
      for (const { child } of replicas) child.kill('SIGCONT');
    };
  }

  /** What the sentinels have seen and done since they were asked last, in the order of time. */
  takeSentinelEvents(): string[] {
    return this.sentinels
      .flatMap(({ port }, index) => {
        const lines = readFileSync(join(this.directory, String(port), 'sentinel.log'), 'utf8').split('\n');
        const before = this.linesTaken[index] ?? 0;
        this.linesTaken[index] = lines.length - 1;
        return lines.slice(before).flatMap((line) => {
          const [, time, event] = /(\d\d:\d\d:\d\d\.\d+) [#*] ([-+].*)/.exec(line) ?? [];
          return event === undefined ? [] : [`${time} sentinel ${index + 1}: ${event}`];
        });
      })
      .sort();
  }

  /** One that was killed returns, as a replica. */
  async revive(port: number): Promise<void> {
    const primary = await this.primary();
    const index = this.servers.findIndex((server) => server.port === port);
    this.servers.splice(index, 1);
    await this.startServer(primary.port, port);
    await this.untilLinked(port);
  }

  /** Waits until the replica at `port` has all that its primary has. */
  private async untilLinked(port: number): Promise<void> {
    await eventually(
      async () => /master_link_status:up/.test(await this.ask(port, (redis) => redis.info('replication'))),
      'the replica follows',
      20_000,
    );
  }

  private async startServer(primaryPort?: number, port?: number): Promise<Server> {
    const server = await this.run(port ?? (await freePort()), 'server', [
      'save ""',
      'appendonly no',
      'maxmemory-policy noeviction',
      'repl-diskless-sync-delay 0',
      ...(this.options.ofServers ?? []),
      ...(primaryPort === undefined ? [] : [`replicaof 127.0.0.1 ${primaryPort}`]),
    ]);
    this.servers.push(server);
    return server;
  }

  private async startSentinel(primaryPort: number): Promise<void> {
    const settings = [
      `sentinel monitor ${PRIMARY} 127.0.0.1 ${primaryPort} ${Math.ceil((this.options.sentinels + 1) / 2)}`,
      `sentinel down-after-milliseconds ${PRIMARY} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${PRIMARY} 5000`,
      ...(this.options.ofSentinels ?? []),
    ];
    this.sentinels.push(await this.run(await freePort(), 'sentinel', settings));
  }

  private async run(port: number, kind: 'server' | 'sentinel', settings: readonly string[]): Promise<Server> {
    const { common = [], isTls = false } = this.options;
    const directory = join(this.directory, String(port));
    mkdirSync(directory, { recursive: true });
    const file = join(directory, `${kind}.conf`);
    const ports = isTls ? [`tls-port ${port}`, 'port 0'] : [`port ${port}`];
    const lines = ['bind 127.0.0.1', `dir ${directory}`, `logfile ${kind}.log`, ...ports, ...common, ...settings];
    writeFileSync(file, `${lines.join('\n')}\n`);
    const program = await findRedisProgram(undefined);
    const child = spawn(program, [file, ...(kind === 'sentinel' ? ['--sentinel'] : [])], { stdio: 'ignore' });
    this.prefer(child);
    await eventually(
      () =>
        this.ask(port, (redis) => redis.ping()).then(
          () => true,
          // Sentinels may have a password of their own.
          (error: unknown) => /NOAUTH|WRONGPASS/.test(String(error)),
        ),
      `${kind} ${port} answers`,
      10_000,
    );
    return { port, child };
  }

  private prefer({ pid }: ChildProcess): void {
    const { priority } = this.options;
    if (priority === undefined || pid === undefined) return;
    try {
      setPriority(pid, priority);
    } catch {
      // Not allowed here.
    }
  }

  private async ask<Answer>(port: number, question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    const redis = new Redis({
      port,
      host: '127.0.0.1',
      ...this.options.client,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      commandTimeout: Math.round(onThisMachine(1_000)),
      enableReadyCheck: false,
    });
    redis.on('error', () => undefined);
    try {
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
