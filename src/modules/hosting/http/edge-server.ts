import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { isLoopback } from '../../../platform/http/connection-bounds.js';
import { HostHandlers } from '../../../platform/http/host-handlers.js';
import { guardListener } from '../../../platform/http/guard-listener.js';
import { CONNECTION_BOUNDS } from '../../../platform/http/http-listener.js';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { Ids } from '../../../platform/ids/ids.js';
import { REQUEST_ID } from '../../../platform/ids/platform.ids.js';
import { Log } from '../../../platform/logging/log.js';
import { EdgeCalls } from '../edge-calls.js';
import { AppRequests } from './app-requests.js';
import { AppHosts } from './app-hosts.js';
import { PAGE_HEADERS, pageOf, refuse } from './error-pages.js';

/**
 * The listener for the hosts of deploys. It does not share a port with the API, so that a tenant's page is never
 * mistaken for the platform. In production it has a process of its own, so that app servers never delay the API.
 */
@Injectable()
export class EdgeServer implements OnModuleDestroy {
  readonly server: Server;

  constructor(
    private readonly hosts: AppHosts,
    private readonly apps: AppRequests,
    private readonly others: HostHandlers,
    calls: EdgeCalls,
    config: Config,
    proxies: TrustedProxies,
    ids: Ids,
    log: Log,
  ) {
    const options = { ...CONNECTION_BOUNDS, shouldUpgradeCallback: isForTheApp };
    this.server = createServer(options, (request, response) => {
      const other = this.others.of(request);
      if (other !== undefined) {
        other.answer(request, response);
        return;
      }
      const hosts = this.hosts.of(request);
      if (hosts.length === 0) refuse(response, 'not_found');
      else this.apps.answer(request, response, hosts);
    });
    calls.enterAt(this.server);
    this.server.on('upgrade', (request, socket, head) => {
      this.upgrade(request, socket, head);
    });
    guardListener(this.server, {
      connections: { ...config.connections, isShared: (address) => isLoopback(address) || proxies.trustsPeer(address) },
      render: ({ status }) => pageOf(status),
      headers: PAGE_HEADERS,
      newRequestId: () => ids.next(REQUEST_ID),
      log,
    });
  }

  /** Stops accepting connections and resolves when the open ones have ended. */
  async onModuleDestroy(): Promise<void> {
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const hosts = this.hosts.of(request);
    if (hosts.length === 0) socket.destroy();
    else this.apps.upgrade({ request, socket, head }, hosts);
  }
}

/** curl and Java offer HTTP/2 with an `Upgrade` header. The offer is ignored. */
const isForTheApp = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() !== 'h2c';
