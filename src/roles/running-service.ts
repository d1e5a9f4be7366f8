import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Config } from '../platform/config/config.js';
import { Shutdown } from '../platform/lifecycle/shutdown.js';
import type { Log } from '../platform/logging/log.js';
import { RequestContext } from '../platform/logging/request-context.js';
import { createApp } from './create-app.js';
import { createDataSource } from './data-source.js';
import { explainListening } from './explain.js';
import { migrate } from './migrate.js';
import { openOwnSecret } from './own-secrets.js';
import type { ServiceRole } from './service.module.js';
import { openServers, type Servers } from './servers.js';

/** How often connections are looked for that have answered their last request and are merely kept alive. */
const SWEEP_MS = 50;

/** What was set wins over what is our own, which only the database of our own may come with. */
function secretsOf({ apiKeyPeppers, secretsKeys, databaseUrl, dataDir }: Config, role: ServiceRole): Pick<Config, 'apiKeyPeppers' | 'secretsKeys'> {
  if (role !== 'all' || databaseUrl !== undefined) return { apiKeyPeppers, secretsKeys };
  return {
    apiKeyPeppers: apiKeyPeppers.length > 0 ? apiKeyPeppers : [openOwnSecret(dataDir, 'api-key-pepper')],
    secretsKeys: secretsKeys.length > 0 ? secretsKeys : [openOwnSecret(dataDir, 'secrets-key')],
  };
}

/** A role that runs and listens, from its servers to its port. */
export class RunningService {
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly app: INestApplication,
    readonly servers: Servers,
    private readonly drainDelayMs: number,
  ) {}

  /** @throws {Error} when a server, a migration or the port is not to be had; nothing then stays behind. */
  static async start(role: ServiceRole, config: Config, log: Log): Promise<RunningService> {
    const servers = await openServers(config, log);
    let app: INestApplication | undefined;
    try {
      // Processes that share a database leave its schema to the role `migrate`.
      if (role === 'all') await migrate(servers.databaseUrl);
      const dataSource = createDataSource({
        url: servers.databaseUrl,
        onPoolError: (error) => { log.warn({ error }, 'A database connection broke.'); },
      });
      const settings: Config = Object.assign({}, config, {
        databaseUrl: servers.databaseUrl,
        redisUrl: servers.redisUrl,
        ...secretsOf(config, role),
      });
      app = await createApp(role, { config: settings, log, context: new RequestContext(), dataSource });
      await app.listen(config.port, config.host).catch((error: unknown) => { throw explainListening(error as Error, config); });
      return new RunningService(app, servers, config.drainDelayMs);
    } catch (error) {
      await app?.close().catch(() => undefined);
      await servers.stop();
      throw error;
    }
  }

  get address(): string {
    const { address, port, family } = (this.app.getHttpServer() as Server).address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /**
   * Ends everything in order: `/ready` says so first, then, after a probe has had time to see it, the port closes,
   * running requests and jobs finish, and Redis and PostgreSQL go last. May be called again.
   */
  stop({ atOnce = false } = {}): Promise<void> {
    this.stopping ??= this.stopInOrder(atOnce ? 0 : this.drainDelayMs);
    return this.stopping;
  }

  private async stopInOrder(drainDelayMs: number): Promise<void> {
    const shutdown = this.app.get(Shutdown);
    const server = this.app.getHttpServer() as Server;
    shutdown.beginDraining();
    server.prependListener('request', (_request, response: ServerResponse) => { response.setHeader('connection', 'close'); });
    await sleep(drainDelayMs);

    const lastCall = setTimeout(() => { server.closeAllConnections(); }, shutdown.requestsLeftMs);
    // Closing the server ends the connections that are idle then; those that become so later would keep it open.
    const sweep = setInterval(() => { server.closeIdleConnections(); }, SWEEP_MS);
    await this.app.close();
    clearInterval(sweep);
    clearTimeout(lastCall);
    await this.servers.stop();
  }
}
