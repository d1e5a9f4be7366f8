import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../background/define-schedule.js';
import { Handles } from '../background/handles.js';
import { Config } from '../config/config.js';
import { batchesOf } from '../database/in-batches.js';
import { Log } from '../logging/log.js';
import { markOf } from './key-ring.js';
import { reencryptionSchedule } from './reencryption.job.js';

const BATCH = 100;

/** A table with values that a {@link KeyRing} encrypts with `SECRETS_KEY`. */
export abstract class EncryptedTable<Row = unknown> {
  /** Returns up to `limit` rows after `last` with a value that does not begin with the mark, in a stable order. */
  abstract outdated(mark: Buffer, last: Row | undefined, limit: number): Promise<Row[]>;

  /** Replaces the values of a row by the same values, encrypted with the newest key. */
  abstract reencrypt(row: Row): Promise<void>;

  /** Returns the ids of a row, for the log. */
  abstract idsOf(row: Row): Readonly<Record<string, string>>;
}

/** Re-encrypts every registered table, so that an older `SECRETS_KEY` is no longer needed. */
@Injectable()
@Handles(reencryptionSchedule)
export class Reencryption implements ScheduleHandler {
  private readonly tables: EncryptedTable[] = [];

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Registers a table. A module that encrypts values calls this when the process starts. */
  add(table: EncryptedTable): void {
    this.tables.push(table);
  }

  async run(stopping: AbortSignal = new AbortController().signal): Promise<void> {
    const [newest, ...older] = this.config.secretsKeys;
    if (newest === undefined || older.length === 0) return;
    for (const table of this.tables) await this.runOn(table, markOf(newest.version), stopping);
  }

  private async runOn(table: EncryptedTable, mark: Buffer, stopping: AbortSignal): Promise<void> {
    const batches = batchesOf((last, limit) => table.outdated(mark, last, limit), { size: BATCH, stopping });
    for await (const rows of batches) {
      for (const row of rows) {
        // A row whose key is missing must not block the others.
        await table.reencrypt(row).catch((error: unknown) => {
          this.log.warn({ error, ...table.idsOf(row) }, 'Values could not be re-encrypted with the newest key.');
        });
      }
    }
  }
}
