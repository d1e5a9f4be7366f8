import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../../platform/config/config.js';
import type { Settings } from '../../platform/config/settings.js';
import type { SiblingProcess } from '../../platform/lifecycle/sibling-processes.js';
import type { Log } from '../../platform/logging/log.js';
import { requireFreeAddresses } from '../listen-addresses.js';
import { openOwnSecret } from '../own-secrets.js';
import { openServers, type Servers } from '../servers.js';
import type { ServiceRole } from '../service.module.js';
import type { StartProgress } from '../start-progress.js';
import { Child, ProcessEnded } from './child.js';
import type { LineRelay } from './line-relay.js';
import { RestartPolicy } from './restart-policy.js';

/** A process that has not stopped by then is killed, so that the service exits within 25 s. */
const GONE_AFTER_MS = 23_000;
const METRICS_WITHIN_MS = 1_000;
const SERVER_LOOK_MS = 50;

interface Options {
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  /** The command that runs `main.js`: the program of this process and its options. */
  readonly command: readonly string[];
  readonly log: Log;
  /** Receives the standard output of the processes. */
  readonly relay: LineRelay;
  readonly progress: StartProgress;
  /** Called when a process died too often to be restarted. All others are stopped by then. */
  readonly onGivenUp: (error: Error) => void;
}

export interface Started {
  /** Address of the API. */
  readonly address: string;
  /** Address of the hosts of deploys. */
  readonly appsAddress: string;
  /** Host and port of project databases. */
  readonly databasesAddress: string | undefined;
  /** Names of the embedded servers. */
  readonly embedded: readonly string[];
}

/** The service was stopped during its start. */
export class StartAborted extends Error {}

interface Supervised {
  child: Child;
  isUp: boolean;
  restarts: number;
  readonly policy: RestartPolicy;
}

/**
 * The role `all`: PostgreSQL, Redis, and one process each for the roles `api`, `edge`, `worker` and `databases`. Work
 * of tenants runs in the last three, so that it cannot slow down the API. Processes that die are restarted.
 */
export class Supervisor {
  private readonly processes = new Map<ServiceRole, Supervised>();
  private servers: Promise<Servers> | undefined;
  private stopping: Promise<void> | undefined;
  private nextRequest = 0;

  constructor(private readonly options: Options) {}

  /**
   * Resolves when all processes are ready.
   *
   * @throws {Error} with a message for the operator when a part cannot start; all other parts are then stopped.
   * @throws {StartAborted} when the service is stopped meanwhile.
   */
  async start(): Promise<Started> {
    const { settings, log, progress } = this.options;
    try {
      await requireFreeAddresses(settings);
      if (!this.isRunning()) throw new StartAborted();
      this.servers = openServers(settings.of(Config), log);
      const servers = await progress.step('PostgreSQL and Redis', this.servers);
      return { embedded: servers.embedded, ...(await this.startProcesses(servers)) };
    } catch (error) {
      const isAborted = !this.isRunning();
      await this.stop({ atOnce: true });
      throw isAborted ? new StartAborted() : error;
    }
  }

  /**
   * Stops everything in order: the API and the edge, then the worker and the databases that they may wait for, then
   * Redis and PostgreSQL. It may be called again.
   */
  stop({ atOnce = false } = {}): Promise<void> {
    this.stopping ??= this.stopInOrder(atOnce);
    return this.stopping;
  }

  private async startProcesses(servers: Servers): Promise<Omit<Started, 'embedded'>> {
    const { progress, environment } = this.options;
    const settings = {
      ...environment,
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      ...ownSecrets(this.options.settings.of(Config)),
    };
    const [api, edge, worker, databases] = [
      this.run('api', settings),
      this.run('edge', settings),
      this.run('worker', settings),
      this.run('databases', settings),
    ];
    await progress.step('Database', api.said('migrated'));
    for (const each of [edge, worker, databases]) each.tell({ kind: 'begin' });
    const [{ address }, { appsAddress }, , { databasesAddress }] = await Promise.all([
      progress.step('API', api.said('ready')),
      progress.step('Hosts of deploys', edge.said('ready')),
      progress.step('Worker and sandbox', worker.said('ready')),
      progress.step('Databases', databases.said('ready')),
    ]);
    for (const each of this.processes.values()) each.isUp = true;
    // A restarted process keeps the port that the system chose, because callers know it by now.
    const kept = {
      ...settings,
      PORT: new URL(address).port,
      APPS_PORT: new URL(appsAddress!).port,
      ...(databasesAddress === undefined ? {} : { DATABASES_PORT: databasesAddress.split(':').at(-1) }),
    };
    for (const role of this.processes.keys()) void this.keepRunning(role, servers, kept);
    this.announce();
    return { address, appsAddress: appsAddress!, databasesAddress };
  }

  private run(role: ServiceRole, settings: NodeJS.ProcessEnv): Child {
    if (!this.isRunning()) throw new StartAborted();
    const { command, relay } = this.options;
    const child = new Child({ role, command, arguments: ['--supervised'], environment: settings });
    relay.add(child.output);
    child.on('collect_metrics', ({ request }) => {
      void this.collectMetrics(child, request);
    });
    const known = this.processes.get(role);
    if (known === undefined) this.processes.set(role, { child, isUp: false, restarts: 0, policy: new RestartPolicy() });
    else known.child = child;
    return child;
  }

  /** Restarts the process when it dies, as its policy allows. */
  private async keepRunning(role: ServiceRole, servers: Servers, settings: NodeJS.ProcessEnv): Promise<void> {
    const process = this.processes.get(role)!;
    for (;;) {
      const exit = await process.child.exited;
      if (this.stopping !== undefined) return;
      process.isUp = false;
      this.announce();
      const error = new ProcessEnded(role, exit);
      this.options.log.error({ role, error }, 'A process died.');
      const decision = process.policy.died(performance.now());
      if (decision === undefined) return this.giveUp(role, error);
      await sleep(decision.delayMs);
      // A process without a database would die too, and would be counted.
      while (!servers.areUp() && this.isRunning()) await sleep(SERVER_LOOK_MS);
      if (!this.isRunning()) return;
      process.restarts++;
      const child = this.run(role, settings);
      child.tell({ kind: 'begin' });
      child.said('ready').then(
        () => {
          process.isUp = true;
          this.options.log.info({ role }, 'Started again.');
          this.announce();
        },
        () => undefined,
      );
    }
  }

  private async giveUp(role: ServiceRole, { message }: Error): Promise<void> {
    await this.stop({ atOnce: true });
    this.options.onGivenUp(
      new Error(`The process ${role} died five times within a minute, so the service stops. ${message}`),
    );
  }

  private isRunning(): boolean {
    return this.stopping === undefined;
  }

  /** Reports the state of the other processes to the API, whose readiness covers all. */
  private announce(): void {
    const states = [...this.processes].map(([role, { isUp, restarts }]): [string, SiblingProcess] => [
      role,
      { isUp, restarts },
    ]);
    this.processes.get('api')?.child.tell({ kind: 'siblings', states: Object.fromEntries(states) });
  }

  private async collectMetrics(asker: Child, request: number): Promise<void> {
    const others = [...this.processes.values()].filter(({ child, isUp }) => child !== asker && isUp);
    const answers = await Promise.all(others.map(({ child }) => this.metricsOf(child)));
    asker.tell({ kind: 'collected_metrics', request, texts: answers.filter((text) => text !== undefined) });
  }

  private metricsOf(child: Child): Promise<string | undefined> {
    const request = this.nextRequest++;
    return new Promise((resolve) => {
      const stopListening = child.on('metrics', (answer) => {
        if (answer.request === request) done(answer.text);
      });
      const late = setTimeout(() => {
        done(undefined);
      }, METRICS_WITHIN_MS);
      function done(text: string | undefined): void {
        stopListening();
        clearTimeout(late);
        resolve(text);
      }
      child.tell({ kind: 'report_metrics', request });
    });
  }

  private async stopInOrder(atOnce: boolean): Promise<void> {
    const startedAtMs = performance.now();
    const stop = async (role: ServiceRole): Promise<void> => {
      const elapsedMs = performance.now() - startedAtMs;
      await this.processes
        .get(role)
        ?.child.stop({ atOnce, elapsedMs, withinMs: Math.max(0, GONE_AFTER_MS - elapsedMs) });
    };
    // Requests may still wait for jobs of the worker, and jobs for databases.
    await Promise.all([stop('api'), stop('edge')]);
    await stop('worker');
    await stop('databases');
    await (await this.servers?.catch(() => undefined))?.stop();
  }
}

/** Settings override our own secrets, which exist only with an embedded database. */
function ownSecrets({ apiKeyPeppers, secretsKeys, databaseUrl, dataDir }: Config): NodeJS.ProcessEnv {
  if (databaseUrl !== undefined) return {};
  const secretOf = (name: 'api-key-pepper' | 'secrets-key'): string => {
    const { version, secret } = openOwnSecret(dataDir, name);
    return `${version}:${secret}`;
  };
  return {
    ...(apiKeyPeppers.length > 0 ? {} : { API_KEY_PEPPER: secretOf('api-key-pepper') }),
    ...(secretsKeys.length > 0 ? {} : { SECRETS_KEY: secretOf('secrets-key') }),
  };
}
