import type { Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import type { Settings } from '../platform/config/settings.js';
import { addressOf, announceClosing, endConnections, listen } from '../platform/http/http-listener.js';
import { Shutdown } from '../platform/lifecycle/shutdown.js';
import type { SiblingProcesses } from '../platform/lifecycle/sibling-processes.js';
import type { Log } from '../platform/logging/log.js';
import { RequestContext } from '../platform/logging/request-context.js';
import { createApp } from './create-app.js';
import { createDataSource } from './data-source.js';
import { explainListening } from './explain.js';
import { listenAddresses } from './listen-addresses.js';
import type { ServiceRole } from './service.module.js';

export interface StopOptions {
  /** True to stop at once, without time for load balancers to notice. */
  readonly atOnce?: boolean;
  /** Time since the whole service began to stop; all of its processes share one deadline. */
  readonly elapsedMs?: number;
}

interface Surroundings {
  readonly settings: Settings;
  readonly log: Log;
  readonly siblings: SiblingProcesses;
}

interface Listeners {
  /** Address of the API, or of the probes in another role. */
  readonly platform: Server | undefined;
  /** Address of the hosts of deploys. */
  readonly apps: Server | undefined;
  /** Address of project databases, which is not HTTP. */
  readonly databases: NetServer | undefined;
}

/** A process of a role that serves HTTP. */
export class RunningService {
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly app: INestApplication,
    private readonly listeners: Listeners,
    private readonly drainDelayMs: number,
  ) {}

  /** @throws {Error} when the database or a port is not available; everything that was started is stopped. */
  static async start(role: ServiceRole, { settings, log, siblings }: Surroundings): Promise<RunningService> {
    const config = settings.of(Config);
    const dataSource = createDataSource({
      url: config.databaseUrl!,
      onPoolError: (error) => {
        log.warn({ error }, 'A database connection broke.');
      },
    });
    const app = await createApp([role], { settings, log, siblings, context: new RequestContext(), dataSource });
    try {
      await app.init();
      const service = new RunningService(app, await listenersOf(role, app, config), config.drainDelayMs);
      await service.listen(settings);
      return service;
    } catch (error) {
      await app.close().catch(() => undefined);
      throw error;
    }
  }

  /** Address of the API, or of the probes in another role. */
  get address(): string | undefined {
    return this.listeners.platform === undefined ? undefined : addressOf(this.listeners.platform);
  }

  /** The address of the hosts of deploys, in the role `edge`. */
  get appsAddress(): string | undefined {
    return this.listeners.apps === undefined ? undefined : addressOf(this.listeners.apps);
  }

  /** Host and port of project databases, in the role `databases`. */
  get databasesAddress(): string | undefined {
    const bound = this.listeners.databases?.address() as AddressInfo | null | undefined;
    return bound == null
      ? undefined
      : `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
  }

  /**
   * Stops everything in order. First `/ready` fails; after a probe has had time to see it, the port closes, and running
   * requests and jobs finish. It may be called again.
   */
  stop(options: StopOptions = {}): Promise<void> {
    this.stopping ??= this.stopInOrder(options);
    return this.stopping;
  }

  private async listen(settings: Settings): Promise<void> {
    for (const [name, address] of Object.entries(listenAddresses(settings))) {
      const server = this.listeners[name as keyof Listeners];
      if (server === undefined) continue;
      await listen(server, address).catch((error: unknown) => {
        throw explainListening(error as Error, address);
      });
    }
  }

  private async stopInOrder({ atOnce = false, elapsedMs = 0 }: StopOptions): Promise<void> {
    const shutdown = this.app.get(Shutdown);
    shutdown.beginDraining(elapsedMs);
    const servers = [this.listeners.platform, this.listeners.apps].filter((server) => server !== undefined);
    for (const server of servers) announceClosing(server);
    await sleep(atOnce ? 0 : Math.max(0, this.drainDelayMs - elapsedMs));

    const closed = servers.map((server) => endConnections(server, shutdown.requestsLeftMs));
    await this.app.close();
    for (const stop of closed) stop();
  }
}

async function listenersOf(role: ServiceRole, app: INestApplication, { isSupervised }: Config): Promise<Listeners> {
  return {
    // Under a supervisor, the API answers the probes of all processes.
    platform: role === 'api' || !isSupervised ? (app.getHttpServer() as Server) : undefined,
    apps:
      role === 'edge' ? app.get((await import('../modules/hosting/http/edge-server.js')).EdgeServer).server : undefined,
    databases:
      role === 'databases'
        ? app.get((await import('../modules/databases/wire/wire-server.js')).WireServer).server
        : undefined,
  };
}
