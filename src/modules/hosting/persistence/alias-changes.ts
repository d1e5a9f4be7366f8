import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Client } from 'pg';
import { Config } from '../../../platform/config/config.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { ALIASES_CHANNEL } from './aliases.store.js';

const RECONNECT_MS = 250;
const HEARTBEAT_MS = 1_000;

export interface AliasListener {
  /** The label, or another key of `alias-keys.ts`, may lead elsewhere now. */
  changed(key: string): void;
  /** Reports whether changes are received from now on. Earlier ones may have been missed. */
  hears(hearing: boolean): void;
}

/**
 * Receives changes of aliases from PostgreSQL on a connection of its own. A closed connection is noticed at once, and
 * one that hangs within two heartbeats. The listener is then notified that its entries may be stale.
 */
@Injectable()
export class AliasChanges implements OnApplicationBootstrap {
  private readonly listeners: AliasListener[] = [];
  private client: Client | undefined;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('database', () => this.close());
  }

  listen(listener: AliasListener): void {
    this.listeners.push(listener);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.connect();
  }

  private async connect(): Promise<void> {
    if (this.closed) return;
    const client = new Client({
      connectionString: this.config.directDatabaseUrl,
      connectionTimeoutMillis: 2_000,
      query_timeout: HEARTBEAT_MS,
      keepAlive: true,
      application_name: 'service-platform aliases',
    });
    this.client = client;
    client.on('error', (error) => {
      this.lost(client, error);
    });
    client.on('end', () => {
      this.lost(client, undefined);
    });
    client.on('notification', ({ payload }) => {
      if (payload !== undefined) for (const listener of this.listeners) listener.changed(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${ALIASES_CHANNEL}`);
      if (this.client !== client) return;
      this.report(true);
      this.beatAfter(client);
    } catch (error) {
      this.lost(client, error);
    }
  }

  private beatAfter(client: Client): void {
    this.timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => {
          if (this.client === client) this.beatAfter(client);
        },
        (error: unknown) => {
          this.lost(client, error);
        },
      );
    }, HEARTBEAT_MS).unref();
  }

  private report(hearing: boolean): void {
    for (const listener of this.listeners) listener.hears(hearing);
  }

  private lost(client: Client, error: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    this.report(false);
    client.end().catch(() => undefined);
    if (this.closed) return;
    this.log.debug({ error }, 'Lost the connection that receives changes of host names.');
    this.timer = setTimeout(() => {
      void this.connect();
    }, RECONNECT_MS).unref();
  }

  private async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }
}
