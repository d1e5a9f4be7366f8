import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { UnitOfWork } from './unit-of-work.js';

/** The unit of work: stores reach the database through it, so that they join the transaction of their caller. */
@Injectable()
export class Database {
  private readonly current = new AsyncLocalStorage<UnitOfWork>();

  constructor(private readonly dataSource: DataSource) {}

  get inTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** The manager of the running transaction, or that of the pool when there is none. */
  get manager(): EntityManager {
    return this.current.getStore()?.manager ?? this.dataSource.manager;
  }

  /**
   * Runs `work` in one transaction, which begins with its first query. Inside another transaction it joins that one. It
   * resolves when the tasks of {@link afterCommit} have ended as well.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.inTransaction) return work();
    const unit = new UnitOfWork(this.dataSource.createQueryRunner());
    let result: T;
    try {
      result = await this.current.run(unit, work);
      await unit.commit();
    } catch (error) {
      await unit.rollBack();
      throw error;
    } finally {
      await unit.release();
    }
    for (const task of unit.afterCommit) await task();
    return result;
  }

  /** Runs all of `work` and rolls it back. It returns what a real run would have returned. */
  async rehearse<T>(work: () => Promise<T>): Promise<T> {
    const unit = new UnitOfWork(this.dataSource.createQueryRunner());
    try {
      return await this.current.run(unit, work);
    } finally {
      await unit.rollBack();
      await unit.release();
    }
  }

  /**
   * Runs `work` outside of the running transaction: for reads before something slow, which must not open the
   * transaction.
   */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return this.current.exit(work);
  }

  /**
   * Runs `task` once the running transaction is committed, and never if it is rolled back; at once when there is no
   * transaction.
   */
  async afterCommit(task: () => Promise<void>): Promise<void> {
    const unit = this.current.getStore();
    if (unit === undefined) await task();
    else unit.afterCommit.push(task);
  }
}
