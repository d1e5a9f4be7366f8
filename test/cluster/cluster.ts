import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts } from '../support/free-port.js';
import { NetworkPostgres } from '../support/network-postgres.js';
import { onThisMachine } from '../support/patience.js';
import { RedisGroup } from '../support/redis-group.js';
import { S3Peer } from '../support/s3-peer.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';
import { Balancer } from './balancer.js';
import { RoleProcess } from './role-process.js';

const COUNTS = { api: 3, edge: 2, worker: 3 } as const;
type ClusterRole = keyof typeof COUNTS;

/**
 * Many machines on one: HAProxy, processes of three roles that share nothing but what machines share, PostgreSQL, Redis
 * with replicas and sentinels, and a server of S3.
 */
export class Cluster {
  readonly directory = makeMemoryDirectory();
  readonly postgres = new NetworkPostgres();
  /**
   * With one replica, no job would be taken after a fail-over until the former primary has returned. Machines of their
   * own would not let them wait for a processor behind eleven other processes.
   */
  readonly redis = new RedisGroup({ replicas: 2, sentinels: 3, priority: -10 });
  s3!: S3Peer;
  balancer!: Balancer;
  appsPort = 0;
  readonly processes: Record<ClusterRole, RoleProcess[]> = { api: [], edge: [], worker: [] };
  private environment: Record<string, string> = {};

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    mkdirSync(join(this.directory, 'repositories'));
    const [s3] = await Promise.all([S3Peer.start(), this.postgres.start(), this.redis.start()]);
    this.s3 = s3;
    const [apiPort, appsPort] = await freePorts();
    this.appsPort = appsPort;
    this.environment = {
      DATABASE_URL: this.postgres.url('', '127.0.0.1'),
      REDIS_URL: `redis+sentinel://${this.redis.sentinelHosts}`,
      API_KEY_PEPPER: 'p'.repeat(32),
      SECRETS_KEY: 's'.repeat(32),
      PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
      APPS_URL: `http://localhost:${appsPort}`,
      TRUST_PROXY: '1',
      DEFAULT_PLAN: 'enterprise',
      ANONYMOUS_CALLS_PER_SECOND: '1000',
      // Here, the drill itself competes for the processors.
      SANDBOX_CPU_WEIGHT: '1000',
      SANDBOX_EXECUTIONS_PER_DAY: '100000',
      LOG_LEVEL: 'warn',
      // The default is 50 ms, in which a Redis that waits for a processor behind eleven processes may not get one.
      REDIS_TIMEOUT_MS: String(Math.min(2_000, Math.round(onThisMachine(250)))),
      ...['ARTIFACTS_URL', 'OBJECTS_URL', 'SANDBOX_ARTIFACTS_URL'].reduce<Record<string, string>>(
        (all, name) => ({ ...all, ...s3.settingsOf(name) }),
        {},
      ),
      ...settings,
    };
    const migrated = await ServiceProcess.run({ role: 'migrate', env: this.environment });
    if (migrated.code !== 0) throw new Error(`The database is not migrated: ${migrated.stderr}`);
    for (const role of Object.keys(COUNTS) as ClusterRole[])
      for (let number = 1; number <= COUNTS[role]; number++)
        this.processes[role].push(await this.newProcess(role, `${role}${number}`));
    await Promise.all(this.all.map((process) => process.start()));
    const { api, edge } = this.processes;
    this.balancer = new Balancer(this.directory, {
      apiPort,
      appsPort,
      apis: api.map(({ port }) => port),
      edges: edge.map((process) => [process.appsPort, process.port] as const),
    });
    await this.balancer.start();
  }

  get all(): RoleProcess[] {
    return Object.values(this.processes).flat();
  }

  get url(): string {
    return this.balancer.url;
  }

  /** A process that is not behind the balancer, with ports of its own. */
  async newProcess(role: ClusterRole, name: string, env: Record<string, string> = {}): Promise<RoleProcess> {
    const [port, appsPort] = await freePorts();
    return new RoleProcess({
      role,
      name,
      port,
      ...(role === 'edge' ? { appsPort } : {}),
      directory: this.directory,
      env: { ...this.environment, ...env },
    });
  }

  /** What is not a loss of this drill: ends of processes that nobody asked for. */
  takeFaults(): string[] {
    return this.all.flatMap(({ faults }) => faults.splice(0));
  }

  async sql<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.postgres.url('', '127.0.0.1') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Whatever a failed drill has left: everything ends, and nothing stays on the disk. */
  async stop(): Promise<void> {
    await Promise.all(
      this.all.map(async (process) => {
        process.thaw();
        await process.kill();
      }),
    );
    await (this.balancer as Balancer | undefined)?.stop();
    await Promise.all([this.postgres.stop(), this.redis.stop(), (this.s3 as S3Peer | undefined)?.stop()]);
    removeScratchDirectory(this.directory);
  }
}
