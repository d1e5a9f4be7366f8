import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

export interface StorageSample {
  readonly name: string;
  /** The first moment of the hour. */
  readonly hour: Date;
  readonly bytes: bigint;
}

@Injectable()
export class StorageSamplesStore {
  constructor(private readonly database: Database) {}

  /** Lets one process at a time sample a source, until the running transaction ends. */
  async lock(source: string): Promise<void> {
    await this.database.manager.query("SELECT pg_advisory_xact_lock(hashtext('storage_samples ' || $1))", [source]);
  }

  async last(source: string): Promise<ReadonlyMap<string, StorageSample>> {
    const rows = await this.database.manager.query<{ name: string; hour: Date; bytes: string }[]>(
      'SELECT name, hour, bytes FROM storage_samples WHERE source = $1',
      [source],
    );
    return new Map(rows.map(({ name, hour, bytes }) => [name, { name, hour, bytes: BigInt(bytes) }]));
  }

  /** Replaces the last samples of a source. Samples that are not listed are deleted. */
  async replace(source: string, samples: readonly StorageSample[]): Promise<void> {
    const { manager } = this.database;
    await manager.query('DELETE FROM storage_samples WHERE source = $1 AND name <> ALL($2)', [
      source,
      samples.map(({ name }) => name),
    ]);
    await manager.query(
      `
      INSERT INTO storage_samples (source, name, hour, bytes)
      SELECT $1, * FROM unnest($2::text[], $3::timestamptz[], $4::bigint[])
      ON CONFLICT (source, name) DO UPDATE SET hour = EXCLUDED.hour, bytes = EXCLUDED.bytes`,
      [
        source,
        samples.map(({ name }) => name),
        samples.map(({ hour }) => hour),
        samples.map(({ bytes }) => bytes.toString()),
      ],
    );
  }
}
