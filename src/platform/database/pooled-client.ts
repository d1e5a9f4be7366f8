import type { Socket } from 'node:net';
import { Client, type ClientConfig, type QueryConfig } from 'pg';
import { nameOfPrepared } from './prepared.js';

type Query = (...parts: unknown[]) => unknown;

/**
 * A pooled connection whose loss never ends the process. The pool removes its error listener when it hands a connection
 * out, and TypeORM adds its own a moment later. A server that ends a session right after accepting it, for example
 * while it shuts down, sends both in one packet: the error arrives in between and, without a listener, is thrown. The
 * borrower of the connection gets the error from its first query.
 *
 * It keeps the plans of prepared statements.
 */
export class PooledClient extends Client {
  /** Since when the server has owed an answer. */
  private askedAtMs: number | undefined;

  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    const send = this.query.bind(this) as Query;
    const query: Query = (text, values, ...rest) => {
      this.askedAtMs ??= performance.now();
      const name = typeof text === 'string' && Array.isArray(values) ? nameOfPrepared(text) : undefined;
      return name === undefined ? send(text, values, ...rest) : send({ name, text, values }, ...rest);
    };
    Object.assign(this, { query });
    // After each statement, also a failed one; then comes the next one that waits.
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on('readyForQuery', () => {
      if (this.askedAtMs !== undefined) this.askedAtMs = performance.now();
    });
    this.on('drain', () => {
      this.askedAtMs = undefined;
    });
  }

  /** How long the server has owed an answer. */
  get silentMs(): number {
    return this.askedAtMs === undefined ? 0 : performance.now() - this.askedAtMs;
  }

  /** Breaks the connection. What waits for an answer fails as when the server is unavailable. */
  abandon(): void {
    const { connection } = this as unknown as { connection: { readonly stream: Socket } };
    connection.stream.destroy();
  }

  /**
   * Limits how long a statement may take, how long a transaction may wait for one, and, where it is given, how long a
   * statement may wait for a lock. As parameters of the connection a pooler such as PgBouncer would refuse them.
   */
  async limitStatements(ms: number, answerWithinMs: number, lockTimeoutMs?: number): Promise<void> {
    const ofLocks = lockTimeoutMs === undefined ? '' : `; SET lock_timeout = ${lockTimeoutMs}`;
    const text = `SET statement_timeout = ${ms}; SET idle_in_transaction_session_timeout = ${ms}${ofLocks}`;
    await this.query({ text, query_timeout: answerWithinMs } as QueryConfig);
  }
}
