import { Injectable } from '@nestjs/common';
import type { DatabaseRow } from '../persistence/database-rows.js';

/** The moments that a database can be restored to. Null while there are none. */
export interface RestorableTime {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** Returns the moments by the id of the database. Those of databases without any are left out. */
export type RestorableTimesSource = (rows: readonly DatabaseRow[]) => Promise<ReadonlyMap<string, RestorableTime>>;

const NONE: RestorableTime = { from: null, until: null };

/** The part that keeps backups sets the source when the process starts. */
@Injectable()
export class RestorableTimes {
  private source: RestorableTimesSource = () => Promise.resolve(new Map());

  setSource(source: RestorableTimesSource): void {
    this.source = source;
  }

  async of(rows: readonly DatabaseRow[]): Promise<(row: DatabaseRow) => RestorableTime> {
    const times = await this.source(rows);
    return ({ id }) => times.get(id) ?? NONE;
  }
}
