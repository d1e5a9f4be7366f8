import { type AddressInfo, createServer, type Server } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { DatabasesSettings } from '../databases.settings.js';

const KEEP_ALIVE_MS = 60_000;
const LOOPBACK = '127.0.0.1';

/** The listener for clients of PostgreSQL. The gateway answers its connections. */
@Injectable()
export class WireServer {
  /** Clients whose machine is gone are noticed by keep-alive packets. */
  readonly server: Server = createServer({ keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });

  constructor(
    { connections }: Config,
    private readonly settings: DatabasesSettings,
  ) {
    this.server.maxConnections = connections.max;
  }

  /** Where other processes of the service reach it: a host and a port. */
  get address(): string {
    const bound = this.server.address() as AddressInfo | null;
    const { host, port } = this.settings.hostAddress ?? { host: LOOPBACK, port: undefined };
    return `${host}:${port ?? bound?.port ?? 0}`;
  }
}
