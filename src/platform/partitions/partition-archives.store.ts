import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** A partition that was written to an archive and dropped. */
interface ArchivedPartition {
  readonly table: string;
  readonly partition: string;
  readonly firstKey: string | null;
  readonly lastKey: string | null;
  readonly rows: number;
  readonly manifest: { readonly key: string; readonly bytes: number; readonly sha256: string };
  readonly archivedAt: Date;
}

@Injectable()
export class PartitionArchivesStore {
  constructor(private readonly database: Database) {}

  async insert({ table, partition, firstKey, lastKey, rows, manifest, archivedAt }: ArchivedPartition): Promise<void> {
    await this.database.manager.query(
      `INSERT INTO partition_archives (table_name, partition_name, first_key, last_key, rows, manifest_key,
         manifest_bytes, manifest_sha256, archived_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [table, partition, firstKey, lastKey, rows, manifest.key, manifest.bytes, manifest.sha256, archivedAt],
    );
  }
}
