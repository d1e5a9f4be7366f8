import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** The unit of work: stores reach the database through it, so that they join the transaction their caller opened. */
@Injectable()
export class Database {
  private readonly current = new AsyncLocalStorage<EntityManager>();

  constructor(private readonly dataSource: DataSource) {}

  get inTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** The running transaction's manager, or the pool's when none runs. */
  get manager(): EntityManager {
    return this.current.getStore() ?? this.dataSource.manager;
  }

  /** Runs `work` in one transaction. Inside another transaction it joins it. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.inTransaction) return work();
    return this.dataSource.transaction((manager) => this.current.run(manager, work));
  }
}
