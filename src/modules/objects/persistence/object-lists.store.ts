import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { StoredChecksum } from './bucket-rows.js';

/** An object as lists show it. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksum: StoredChecksum | null;
  readonly updatedAt: Date;
}

/** One step of a list: an object, or everything that begins with `prefix`. */
export type ListStep = { readonly object: ListedObject } | { readonly prefix: string };

export interface KeyRange {
  /** The first key that may be listed. Empty for the first of all. */
  readonly from: string;
  /** All keys before this one are below the prefix. Undefined when nothing follows the prefix. */
  readonly until: string | undefined;
}

const FIELDS = 'key, size, etag, content_type, metadata, checksum, updated_at';

const PLAIN = prepared(`
  SELECT key, size::float8 AS size, etag, content_type AS "contentType", metadata, checksum, updated_at AS "updatedAt",
    NULL AS prefix
  FROM objects WHERE bucket_id = $1 AND key >= $2 AND ($3::text IS NULL OR key < $3 COLLATE "C")
  ORDER BY key LIMIT $4`);

const first = (from: string): string =>
  `SELECT ${FIELDS}, strpos(substr(key, $5::int + 1), $6::text) AS at FROM objects
   WHERE bucket_id = $1 AND key >= ${from} AND ($3::text IS NULL OR key < $3 COLLATE "C") ORDER BY key LIMIT 1`;

/** What is listed for a row: the prefix up to its first delimiter, or the key. */
const ENTRY = 'left(walk.key, $5::int + walk.at - 1)';

/**
 * Walks from key to key by the index, and from a prefix to the first key behind it, so that a folder costs one step,
 * whatever is in it. `$5` is the length of the prefix, `$6` the delimiter, and `$7` the delimiter's successor.
 */
const GROUPED = prepared(`
  WITH RECURSIVE walk AS (
    (SELECT 1 AS step, found.* FROM (${first('$2')}) AS found)
    UNION ALL
    SELECT walk.step + 1, found.* FROM walk CROSS JOIN LATERAL (
      ${first(`(CASE WHEN walk.at > 0 THEN ${ENTRY} || $7::text ELSE walk.key || E'\\x01' END) COLLATE "C"`)}
    ) AS found WHERE walk.step < $4::int
  )
  SELECT key, size::float8 AS size, etag, content_type AS "contentType", metadata, checksum, updated_at AS "updatedAt",
    CASE WHEN at > 0 THEN ${ENTRY} || $6::text END AS prefix
  FROM walk ORDER BY step`);

@Injectable()
export class ObjectListsStore {
  constructor(private readonly database: Database) {}

  /** Returns up to `limit` objects in the order of the bytes of their keys. */
  plain(bucketId: string, { from, until }: KeyRange, limit: number): Promise<ListStep[]> {
    return this.read(PLAIN, [bucketId, from, until ?? null, limit]);
  }

  /** {@link plain}, with one step for all keys that have the delimiter behind the prefix in the same place. */
  grouped(
    bucketId: string,
    { from, until }: KeyRange,
    limit: number,
    { prefix, delimiter, behind }: { prefix: string; delimiter: string; behind: string },
  ): Promise<ListStep[]> {
    // PostgreSQL counts characters, and JavaScript counts UTF-16.
    const length = Array.from(prefix).length;
    return this.read(GROUPED, [bucketId, from, until ?? null, limit, length, delimiter, behind]);
  }

  private async read(text: string, values: unknown[]): Promise<ListStep[]> {
    const rows = await this.database.manager.query<(ListedObject & { prefix: string | null })[]>(text, values);
    return rows.map(({ prefix, ...object }) => (prefix === null ? { object } : { prefix }));
  }
}
