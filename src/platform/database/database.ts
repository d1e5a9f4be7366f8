import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** The unit of work: stores reach the database through it, so that they join the transaction their caller opened. */
@Injectable()
export class Database {
  private readonly current = new AsyncLocalStorage<UnitOfWork>();

  constructor(private readonly dataSource: DataSource) {}

  get inTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** The running transaction's manager, or the pool's when none runs. */
  get manager(): EntityManager {
    return this.current.getStore()?.manager ?? this.dataSource.manager;
  }

  /**
   * Runs `work` in one transaction. Inside another transaction it joins it. It resolves when what {@link afterCommit}
   * was given has ended as well.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.inTransaction) return work();
    const afterwards: (() => Promise<void>)[] = [];
    const result = await this.dataSource.transaction((manager) => this.current.run({ manager, afterwards }, work));
    for (const task of afterwards) await task();
    return result;
  }

  /** Runs all of `work` and then takes it back: what it returns is what would have been. */
  async rehearse<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    await runner.connect();
    try {
      await runner.startTransaction();
      return await this.current.run({ manager: runner.manager, afterwards: [] }, work);
    } finally {
      await runner.rollbackTransaction().catch(() => undefined);
      await runner.release();
    }
  }

  /** Runs `task` once the running transaction is committed, and never when it is not; at once when there is none. */
  async afterCommit(task: () => Promise<void>): Promise<void> {
    const unit = this.current.getStore();
    if (unit === undefined) await task();
    else unit.afterwards.push(task);
  }
}

interface UnitOfWork {
  readonly manager: EntityManager;
  readonly afterwards: (() => Promise<void>)[];
}
