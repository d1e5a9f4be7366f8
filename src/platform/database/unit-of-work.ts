import type { EntityManager, QueryRunner } from 'typeorm';

/**
 * One transaction, which takes its connection and begins with its first query. Work before that, such as hashing a
 * password, does not occupy a connection.
 */
export class UnitOfWork {
  readonly afterCommit: (() => Promise<void>)[] = [];
  private begun: Promise<unknown> | undefined;
  private isOver = false;
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

  async commit(): Promise<void> {
    if (this.begun !== undefined) await this.send('COMMIT');
  }

  /** Never throws: without a commit, a broken connection rolls back as well. */
  async rollBack(): Promise<void> {
    if (this.begun !== undefined) await this.send('ROLLBACK').catch(() => undefined);
  }

  async release(): Promise<void> {
    this.isOver = true;
    Object.assign(this.runner, { isTransactionActive: false });
    await this.runner.release();
  }

  private async query(...parameters: Parameters<QueryRunner['query']>): Promise<unknown> {
    this.requireOpen();
    this.begun ??= this.send('START TRANSACTION');
    await this.begun;
    return this.send(...parameters) as unknown;
  }

  /**
   * TypeORM would report a late query of work that nothing awaited as a broken connection. It is a bug of the service
   * and gets an error of its own.
   */
  private requireOpen(): void {
    if (this.isOver) throw new Error('A query came after the end of its transaction.');
  }
}
