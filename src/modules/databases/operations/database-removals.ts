import { Injectable } from '@nestjs/common';
import type { DatabaseRow } from '../persistence/database-rows.js';

/** Removes what a part keeps for a database. It may be repeated, and throws until all is gone. */
export type DatabaseRemoval = (database: DatabaseRow, signal: AbortSignal) => Promise<void>;

/** What else is removed with the data of a database, such as its backups. Parts add it when the process starts. */
@Injectable()
export class DatabaseRemovals {
  private readonly added: DatabaseRemoval[] = [];

  add(removal: DatabaseRemoval): void {
    this.added.push(removal);
  }

  async run(database: DatabaseRow, signal: AbortSignal): Promise<void> {
    for (const removal of this.added) {
      signal.throwIfAborted();
      await removal(database, signal);
    }
  }
}
