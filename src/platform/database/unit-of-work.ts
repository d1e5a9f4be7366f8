import type { ClientBase } from 'pg';
import { type EntityManager, type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { type Row, type Statement, StatementBatch } from './statement-batch.js';

const START: Statement = { text: 'START TRANSACTION', values: [] };
const COMMIT: Statement = { text: 'COMMIT', values: [] };

interface Waiting extends Statement {
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One transaction, which takes its connection and begins with its first query. Work before that, such as hashing a
 * password, does not occupy a connection.
 */
export class UnitOfWork {
  readonly afterCommit: (() => Promise<void>)[] = [];
  private hasBegun = false;
  private isOver = false;
  private connecting: Promise<unknown> | undefined;
  /** Statements that go with the next batch. */
  private waiting: Waiting[] = [];
  /** The last batch. Once one has failed, nothing of the transaction counts. */
  private sent: Promise<void> = Promise.resolve();
  private readonly send: QueryRunner['query'];

  constructor(private readonly runner: QueryRunner) {
    this.send = runner.query.bind<QueryRunner['query']>(runner);
    // TypeORM checks this before it locks a row, which may be the first query.
    Object.assign(runner, { isTransactionActive: true, query: this.query.bind(this) });
  }

  get manager(): EntityManager {
    this.requireOpen();
    return this.runner.manager;
  }

  /** Sends the statement in one round trip with all others that wait at the end of this turn of the event loop. */
  ask(statement: Statement): Promise<Row[]> {
    this.requireOpen();
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...statement, resolve, reject });
      // What fails is thrown to those that wait for a statement, and again by the commit.
      process.nextTick(() => void this.flush().catch(() => undefined));
    });
  }

  /** Sends the statement with the next one, or with the commit. It then fails with that. */
  askLater(statement: Statement): void {
    this.requireOpen();
    this.waiting.push({ ...statement, resolve: () => undefined, reject: () => undefined });
  }

  /** Sends all statements that wait. */
  async flush(): Promise<void> {
    if (this.waiting.length > 0) await this.sendBatch();
  }

  async commit(): Promise<void> {
    if (this.hasBegun || this.waiting.length > 0) await this.sendBatch(COMMIT);
  }

  /** Never throws: without a commit, a broken connection rolls back as well. */
  async rollBack(): Promise<void> {
    this.isOver = true;
    // A connection that comes after the release would never be given back.
    await this.connecting?.catch(() => undefined);
    if (this.hasBegun) await this.send('ROLLBACK').catch(() => undefined);
  }

  async release(): Promise<void> {
    this.isOver = true;
    Object.assign(this.runner, { isTransactionActive: false });
    await this.runner.release();
  }

  private async query(...parameters: Parameters<QueryRunner['query']>): Promise<unknown> {
    this.requireOpen();
    if (!this.hasBegun || this.waiting.length > 0) await this.sendBatch();
    else await this.sent;
    return this.send(...parameters) as unknown;
  }

  /** The transaction begins with its first batch. */
  private async sendBatch(...last: readonly Statement[]): Promise<void> {
    let client: ClientBase;
    try {
      this.requireOpen();
      client = (await (this.connecting = this.runner.connect() as Promise<unknown>)) as ClientBase;
      this.requireOpen();
      if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    } catch (error) {
      for (const { reject } of this.waiting.splice(0)) reject(error);
      throw error;
    }
    // Another call may have sent them while this one got the connection.
    const waiting = this.waiting.splice(0);
    const statements = [...(this.hasBegun ? [] : [START]), ...waiting, ...last];
    if (statements.length > 0) {
      this.sent = this.sendOn(client, statements, waiting, this.hasBegun ? 0 : 1);
      this.hasBegun = true;
    }
    return this.sent;
  }

  private async sendOn(
    client: ClientBase,
    statements: readonly Statement[],
    waiting: readonly Waiting[],
    before: number,
  ): Promise<void> {
    const earlier = this.sent;
    try {
      await earlier;
      const rows = await new StatementBatch(statements).sendOn(client);
      waiting.forEach(({ resolve }, index) => {
        resolve(rows[before + index]!);
      });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      throw error;
    }
  }

  /**
   * TypeORM would report a late query of work that nothing awaited as a broken connection. It is a bug of the service
   * and gets an error of its own.
   */
  private requireOpen(): void {
    if (this.isOver) throw new Error('A query came after the end of its transaction.');
  }
}
