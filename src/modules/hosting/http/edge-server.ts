import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { isLoopback } from '../../../platform/http/connection-bounds.js';
import { guardListener } from '../../../platform/http/guard-listener.js';
import { CONNECTION_BOUNDS } from '../../../platform/http/http-listener.js';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { Ids } from '../../../platform/ids/ids.js';
import { REQUEST_ID } from '../../../platform/ids/platform.ids.js';
import { Log } from '../../../platform/logging/log.js';
import { AppDoor } from './app-door.js';
import { AppHosts } from './app-hosts.js';
import { pageOf, refuse } from './error-pages.js';

/**
 * The listener for the hosts of deploys. It shares neither port nor, in production, process with the API: a page that a
 * tenant deploys is never answered where it could be taken for the platform, and its server never keeps the API
 * waiting.
 */
@Injectable()
export class EdgeServer implements OnModuleDestroy {
  readonly server: Server;

  constructor(
    private readonly hosts: AppHosts,
    private readonly apps: AppDoor,
    config: Config,
    proxies: TrustedProxies,
    ids: Ids,
    log: Log,
  ) {
    const options = { ...CONNECTION_BOUNDS, shouldUpgradeCallback: isForTheApp };
    this.server = createServer(options, (request, response) => {
      const host = this.hosts.of(request);
      if (host === undefined) refuse(response, 'not_found');
      else this.apps.answer(request, response, host);
    });
    this.server.on('upgrade', (request, socket, head) => {
      this.upgrade(request, socket, head);
    });
    guardListener(this.server, {
      connections: { ...config.connections, isShared: (address) => isLoopback(address) || proxies.trustsPeer(address) },
      render: ({ status }) => pageOf(status),
      newRequestId: () => ids.next(REQUEST_ID),
      log,
    });
  }

  /** Takes no more connections and resolves when those that there are have ended. */
  async onModuleDestroy(): Promise<void> {
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const host = this.hosts.of(request);
    if (host === undefined) socket.destroy();
    else this.apps.upgrade(request, socket, head, host);
  }
}

/** curl and Java offer HTTP/2 in this way, and are answered as if they had not. */
const isForTheApp = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() !== 'h2c';
