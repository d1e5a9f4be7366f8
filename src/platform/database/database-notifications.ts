import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { Config } from '../config/config.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const CONNECT_WITHIN_MS = 2_000;
/** It only listens, so that nothing else tells it that the machine of its server is gone. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Called after each notification with its payload, and after each (re)connection without one. Notifications are lost
 * while disconnected, so the listener must then read its state again.
 */
export type OnChange = (payload?: string) => void;

/**
 * Runs `LISTEN` on a connection of its own, because the pool would share it. A broken connection is replaced at once,
 * so that listeners soon learn what they missed.
 */
@Injectable()
export class DatabaseNotifications {
  private readonly listeners = new Map<string, OnChange[]>();
  private client: Client | undefined;
  private running: Promise<void> | undefined;
  /** The driver takes one statement after the other. */
  private lastStatement: Promise<unknown> = Promise.resolve();
  private readonly closing = new AbortController();

  constructor(
    private readonly config: Config,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('database', () => this.close());
  }

  /** `channel` goes into the statement unescaped, so it must be a constant in the code. */
  listen(channel: string, onChange: OnChange): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), onChange]);
    if (this.running === undefined) this.running = this.keepConnected();
    else {
      const listening = this.lastStatement.then(() => this.client?.query(`LISTEN ${channel}`));
      this.lastStatement = listening.catch(() => undefined);
      listening.then(
        () => {
          onChange();
        },
        () => undefined,
      );
    }
  }

  private async keepConnected(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.closing.signal.aborted) {
      try {
        const { ended } = await this.connect();
        pauseMs = FIRST_PAUSE_MS;
        await ended;
      } catch (error) {
        // Readiness already reports that the database is unavailable.
        this.log.debug({ error }, 'LISTEN failed. It is retried.');
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      }
      await sleep(pauseMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
    }
  }

  /** Resolves once it listens; `ended` resolves when the connection has ended. */
  private async connect(): Promise<{ ended: Promise<void> }> {
    const client = new Client({
      connectionString: this.config.directDatabaseUrl,
      application_name: 'service-platform-listener',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
    });
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.on('error', () => {
        resolve();
      });
    });
    try {
      await client.connect();
      client.on('notification', ({ channel, payload }) => {
        this.notify(channel, payload);
      });
      for (const channel of this.listeners.keys()) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.client = client;
    for (const channel of this.listeners.keys()) this.notify(channel);
    return {
      ended: ended.then(async () => {
        this.client = undefined;
        await client.end().catch(() => undefined);
      }),
    };
  }

  private notify(channel: string, payload?: string): void {
    for (const onChange of this.listeners.get(channel) ?? []) onChange(payload);
  }

  private async close(): Promise<void> {
    this.closing.abort();
    await this.client?.end().catch(() => undefined);
    await this.running;
  }
}
