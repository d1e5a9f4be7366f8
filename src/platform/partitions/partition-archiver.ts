import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { type BlobStorage, contentOf } from '../blobs/blob-storage.js';
import { Database } from '../database/database.js';
import { Log } from '../logging/log.js';
import { Clock } from '../time/clock.js';
import { PartitionArchivesStore } from './partition-archives.store.js';
import type { PartitionedTable } from './partitioned-table.js';
import { PartitionsStore } from './partitions.store.js';

/** How many rows a file has, and are in memory at a time. */
const PART_ROWS = 5_000;
/**
 * Counting a month again may take longer than other statements do. Nobody waits for it, but who writes to that month.
 */
const COUNT_TIMEOUT_MS = 300_000;
/** It is more by this for each row: the partition of before the upgrade has all rows of until then. */
const COUNT_TIMEOUT_MS_OF_ROW = 0.01;
/** Names sort as the rows do, for up to 50 billion of them. */
const DIGITS = 7;

interface Part {
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

interface Archiving {
  readonly storage: BlobStorage;
  readonly isDone: () => Promise<boolean>;
  readonly stopping: AbortSignal;
}

interface Written {
  readonly rows: number;
  readonly firstKey: string | null;
  readonly lastKey: string | null;
  readonly manifest: Omit<Part, 'rows'>;
}

/**
 * Writes the rows of a partition to files, and drops it.
 *
 * It may be killed at any moment and be repeated. Files are written first and read back; their names have their hashes,
 * so that a repetition writes the same files. Then one transaction makes sure that they have all rows, records the
 * archive, and drops the partition. So rows are in the table until it is certain that they are in the archive.
 */
@Injectable()
export class PartitionArchiver {
  constructor(
    private readonly database: Database,
    private readonly partitions: PartitionsStore,
    private readonly archives: PartitionArchivesStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Returns the number of archived rows, or undefined when rows were added meanwhile or `stopping` was aborted.
   * `isDone` is asked once more while nobody can add rows, and the partition stays when it says no.
   * @throws {Error} before anything is written, when others use the partition, such as a backup.
   */
  async archive(
    table: PartitionedTable,
    partition: string,
    { storage, isDone, stopping }: Archiving,
  ): Promise<number | undefined> {
    await this.partitions.requireUnused(partition);
    const written = await this.write(table, partition, { storage, stopping });
    if (written === undefined) return undefined;
    const { rows, firstKey, lastKey, manifest } = written;
    const isDropped = await this.database.transaction(async () => {
      const archivedAt = this.clock.now();
      const dropped = await this.partitions.dropIf(partition, async () => {
        await this.database.manager.query("SELECT set_config('statement_timeout', $1, true)", [
          String(COUNT_TIMEOUT_MS + Math.ceil(rows * COUNT_TIMEOUT_MS_OF_ROW)),
        ]);
        return (await this.partitions.count(partition, rows + 1)) === rows && (await isDone());
      });
      if (dropped)
        await this.archives.insert({ table: table.name, partition, firstKey, lastKey, rows, manifest, archivedAt });
      return dropped;
    });
    if (isDropped) return rows;
    this.log.warn(
      { partition, rows },
      'A partition has other rows than were just archived, or they are needed again. It is archived later.',
    );
    return undefined;
  }

  private async write(
    table: PartitionedTable,
    partition: string,
    { storage, stopping }: Pick<Archiving, 'storage' | 'stopping'>,
  ): Promise<Written | undefined> {
    const parts: Part[] = [];
    let [rows, firstKey, lastKey] = [0, null as string | null, null as string | null];
    for (;;) {
      if (stopping.aborted) return undefined;
      const some = await this.partitions.rows(table, partition, lastKey, PART_ROWS);
      if (some.length === 0) break;
      firstKey ??= some[0]!.key;
      lastKey = some.at(-1)!.key;
      rows += some.length;
      const content = await compressed(some.map(({ json }) => `${json}\n`).join(''));
      const number = String(parts.length + 1).padStart(DIGITS, '0');
      parts.push({ ...(await store(storage, nameOf(partition, number, '.jsonl.gz'), content)), rows: some.length });
      if (some.length < PART_ROWS) break;
    }
    const manifest = { format: 1, table: table.name, partition, key: table.key, firstKey, lastKey, rows, parts };
    const content = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    return { rows, firstKey, lastKey, manifest: await store(storage, nameOf(partition, 'manifest', '.json'), content) };
  }
}

const compressed = promisify(gzip) as (text: string) => Promise<Buffer>;

const nameOf =
  (partition: string, name: string, ending: string) =>
  (sha256: string): string =>
    `partitions/${partition}/${name}-${sha256.slice(0, 16)}${ending}`;

/**
 * Stores a file and reads it back, unless an earlier attempt has stored it.
 * @throws {Error} when the storage does not return what was stored.
 */
async function store(
  storage: BlobStorage,
  keyOf: (sha256: string) => string,
  content: Buffer,
): Promise<Omit<Part, 'rows'>> {
  const sha256 = hash('sha256', content);
  const key = keyOf(sha256);
  const isThere = async (): Promise<boolean> => hash('sha256', await buffer(await storage.get(key))) === sha256;
  // S3 does not say that a file is missing to a key that may not list the bucket. It refuses the read.
  if (!(await isThere().catch(() => false))) {
    await storage.put(key, contentOf(content));
    if (!(await isThere())) throw new Error(`The archive ${key} cannot be read as it was written.`);
  }
  return { key, bytes: content.length, sha256 };
}
