import { AsyncLocalStorage } from 'node:async_hooks';
import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { StatementValue } from './statement-batch.js';
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
   * Returns the rows of a statement. In a transaction it is sent in one round trip with all others of this turn of the
   * event loop, in their order, and with what {@link writeLater} has left; each sees what those before it have done.
   */
  async ask<Row>(text: string, values: readonly StatementValue[]): Promise<Row[]> {
    const unit = this.current.getStore();
    if (unit === undefined) return this.dataSource.manager.query<Row[]>(text, [...values]);
    return (await unit.ask({ text, values })) as Row[];
  }

  /**
   * Writes in the running transaction, and costs no round trip: the statement is sent with the next one of the
   * transaction, or with its commit. A failure is one of that, so that nobody can catch it where it comes from.
   */
  writeLater(text: string, values: readonly StatementValue[]): void {
    const unit = this.current.getStore();
    assert(unit !== undefined, 'A write for later came outside a transaction.');
    unit.askLater({ text, values });
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
      const result = await this.current.run(unit, work);
      await unit.flush();
      return result;
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
