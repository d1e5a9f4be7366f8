import { Injectable } from '@nestjs/common';
import type { DataSource, QueryRunner } from 'typeorm';
import { Database } from '../../../platform/database/database.js';

/** Any number, as long as nobody else takes it: locks of this kind share one space. */
const LOCK = 1_795_258_000;

/**
 * Keeps those who add blobs and those who delete them apart: any number of the first, or one of the second. A blob that is
 * there when somebody adds it is not written again, so it must not be deleted between that look and the row that names it.
 */
@Injectable()
export class StoreLock {
  constructor(private readonly database: Database) {}

  /** Locks of a session need a connection of their own, which no transaction comes into. */
  private get dataSource(): DataSource {
    return this.database.manager.dataSource;
  }

  /** Runs `work` while nothing is deleted; waits for a deletion that is under way, which takes moments. */
  async whileAdding<T>(work: () => Promise<T>): Promise<T> {
    return this.held('SELECT pg_advisory_lock_shared($1)', 'SELECT pg_advisory_unlock_shared($1) AS held', work);
  }

  /** Runs `work` while nothing is added; undefined, without running it, when something is. */
  async unlessAdding<T>(work: () => Promise<T>): Promise<T | undefined> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const [row] = await this.dataSource.query<{ taken: boolean }[]>('SELECT pg_try_advisory_lock($1) AS taken', [LOCK], runner);
      if (row?.taken !== true) return undefined;
      try {
        return await work();
      } finally {
        await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
      }
    } finally {
      await runner.release();
    }
  }

  private async held<T>(lock: string, unlock: string, work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.query(lock, [LOCK]);
      return await this.unlockedAfter(runner, unlock, work);
    } finally {
      await runner.release();
    }
  }

  private async unlockedAfter<T>(runner: QueryRunner, unlock: string, work: () => Promise<T>): Promise<T> {
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await runner.query(unlock, [LOCK]).catch(() => undefined);
      throw error;
    }
    const [row] = await this.dataSource.query<{ held: boolean }[]>(unlock, [LOCK], runner);
    if (row?.held !== true) throw new Error('The lock of the artifact store was lost with its connection.');
    return result;
  }
}
