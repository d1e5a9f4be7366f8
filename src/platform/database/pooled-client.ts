import type { Socket } from 'node:net';
import { Client, type ClientConfig, type QueryConfig } from 'pg';
import { nameOfPrepared } from './prepared.js';
import { StatementBatch } from './statement-batch.js';

type Query = (...parts: unknown[]) => unknown;

/** What the server says after a statement that is not in a transaction, or that ends one. */
const OUTSIDE_OF_TRANSACTIONS = 'I';

/** The host is an address, or the directory of a socket. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

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
  private usualLimitMs = Infinity;
  /** The most statements that were sent together of those that the server owes an answer for. */
  private together = 1;
  /** True in a transaction that has set a limit for its own statements. */
  private hasOwnLimit = false;

  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    const send = this.query.bind(this) as Query;
    const query: Query = (text, values, ...rest) => {
      this.askedAtMs ??= performance.now();
      if (typeof text === 'string' && text.includes('statement_timeout')) this.hasOwnLimit = true;
      if (text instanceof StatementBatch) this.together = Math.max(this.together, text.texts.length);
      const name = typeof text === 'string' && Array.isArray(values) ? nameOfPrepared(text) : undefined;
      return name === undefined ? send(text, values, ...rest) : send({ name, text, values }, ...rest);
    };
    Object.assign(this, { query });
    // After each statement, also a failed one; then comes the next one that waits.
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on('readyForQuery', ({ status }: { readonly status: string }) => {
      if (this.askedAtMs !== undefined) this.askedAtMs = performance.now();
      if (status === OUTSIDE_OF_TRANSACTIONS) this.hasOwnLimit = false;
    });
    this.on('drain', () => {
      this.askedAtMs = undefined;
      this.together = 1;
    });
  }

  /** How long the server has owed an answer. */
  get silentMs(): number {
    return this.askedAtMs === undefined ? 0 : performance.now() - this.askedAtMs;
  }

  /**
   * After how long the server ends by itself what it was sent: it limits each statement, and answers those that were
   * sent together at their end. Infinity, where it has no limit or one that is not known.
   */
  get limitMs(): number {
    return this.hasOwnLimit ? Infinity : this.usualLimitMs * this.together;
  }

  /** The server that the connection leads to, while it is open: the name of the host may lead to another one later. */
  get server(): ServerAddress {
    const { remoteAddress, remotePort } = this.stream;
    return { host: remoteAddress ?? this.host, port: remotePort ?? this.port };
  }

  /** Breaks the connection. What waits for an answer fails as when the server is unavailable. */
  abandon(): void {
    this.stream.destroy();
  }

  /**
   * Limits how long a statement may take, how long a transaction may wait for one, and, where it is given, how long a
   * statement may wait for a lock. As parameters of the connection a pooler such as PgBouncer would refuse them.
   */
  async limitStatements(ms: number, answerWithinMs: number, lockTimeoutMs?: number): Promise<void> {
    const ofLocks = lockTimeoutMs === undefined ? '' : `; SET lock_timeout = ${lockTimeoutMs}`;
    const text = `SET statement_timeout = ${ms}; SET idle_in_transaction_session_timeout = ${ms}${ofLocks}`;
    await this.query({ text, query_timeout: answerWithinMs } as QueryConfig);
    this.usualLimitMs = ms === 0 ? Infinity : ms;
  }

  private get stream(): Socket {
    const { connection } = this as unknown as { connection: { readonly stream: Socket } };
    return connection.stream;
  }
}
