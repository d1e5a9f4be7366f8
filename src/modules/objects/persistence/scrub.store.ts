import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ObjectPart } from './bucket-rows.js';

export interface ScrubbedObject {
  readonly bucketId: string;
  readonly key: string;
  readonly revision: string;
  readonly parts: readonly ObjectPart[];
}

/** Reads for comparisons of what is recorded with what is there. */
@Injectable()
export class ScrubStore {
  constructor(private readonly database: Database) {}

  /** Returns objects of one of so many slices, behind the last one, in the order of the primary key. */
  objects(
    { slice, of }: { slice: number; of: number },
    last: ScrubbedObject | undefined,
    limit: number,
  ): Promise<ScrubbedObject[]> {
    return this.sql(
      `SELECT bucket_id AS "bucketId", key, revision, parts FROM objects
       WHERE (bucket_id, key) > ($1, $2 COLLATE "C") AND abs(hashtext(revision)::bigint) % $4 = $3
       ORDER BY bucket_id, key LIMIT $5`,
      [last?.bucketId ?? '', last?.key ?? '', slice, of, limit],
    );
  }

  async isStill({ bucketId, key, revision }: ScrubbedObject): Promise<boolean> {
    const rows = await this.sql('SELECT FROM objects WHERE bucket_id = $1 AND key = $2 AND revision = $3', [
      bucketId,
      key,
      revision,
    ]);
    return rows.length > 0;
  }

  /** Returns by how many bytes what buckets of a slice count differs from what they have. */
  async drift({ slice, of }: { slice: number; of: number }): Promise<number> {
    const [row] = await this.sql<{ drift: number }>(
      `SELECT coalesce(sum(abs(bucket.bytes
         - (SELECT coalesce(sum(size), 0) FROM objects WHERE bucket_id = bucket.id)
         - (SELECT coalesce(sum(part.size), 0) FROM object_uploads upload JOIN upload_parts part
            ON part.upload_id = upload.id WHERE upload.bucket_id = bucket.id))), 0)::float8 AS drift
       FROM buckets bucket WHERE abs(hashtext(bucket.id)::bigint) % $2 = $1`,
      [slice, of],
    );
    return row!.drift;
  }

  /** Returns those of the blobs that a row names. Parts are looked at before objects, which they become. */
  async named(blobs: readonly string[]): Promise<Set<string>> {
    const rows: { blob: string }[] = [];
    for (const query of NAMED) rows.push(...(await this.sql<{ blob: string }>(query, [blobs])));
    return new Set(rows.map(({ blob }) => blob));
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}

const NAMED = [
  'SELECT blob FROM storage_reservations WHERE blob = ANY($1::text[])',
  'SELECT blob FROM upload_parts WHERE blob = ANY($1::text[])',
  `SELECT part ->> 0 AS blob FROM objects CROSS JOIN LATERAL jsonb_array_elements(parts) AS part
   WHERE part ->> 0 = ANY($1::text[])`,
  'SELECT blob FROM doomed_blobs WHERE blob = ANY($1::text[])',
];
