import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { Bucket, ObjectFacts, ObjectPart, Reservation, StoredChecksum, StoredObject } from './bucket-rows.js';
import { metered } from './metered.js';

const OBJECT_COLUMNS = `
  bucket_id AS "bucketId", key, revision, size::float8 AS size, etag, content_type AS "contentType", headers, metadata,
  checksum, parts, updated_at AS "updatedAt"`;

const FIND = prepared(`SELECT ${OBJECT_COLUMNS} FROM objects WHERE bucket_id = $1 AND key = $2`);

/** The reservation of the write, as long as it has not been given back. */
const LIVE = 'live AS (SELECT id, org_id, bytes FROM storage_reservations WHERE id = $1 FOR UPDATE)';

/**
 * Ends a reservation for what `stored` has stored. Rows are locked in one order everywhere: object, account, bucket.
 * `size` and `count` are what the bucket gains.
 */
const settled = (size: string, count: number): string => `
  released AS (
    DELETE FROM storage_reservations USING stored WHERE storage_reservations.id = $1
    RETURNING storage_reservations.org_id, storage_reservations.bytes
  ), account AS (
    UPDATE storage_accounts SET bytes = storage_accounts.bytes + ${size}, reserved = reserved - released.bytes
    FROM released WHERE storage_accounts.org_id = released.org_id RETURNING storage_accounts.org_id
  ), bucket AS (
    UPDATE buckets SET ${metered('$12')}, bytes = bytes + ${size}, object_count = object_count + ${count}
    FROM account WHERE buckets.id = $2 RETURNING buckets.id
  )
  SELECT id FROM bucket`;

const INSERT = prepared(`
  WITH ${LIVE}, stored AS (
    INSERT INTO objects (bucket_id, key, revision, size, etag, content_type, headers, metadata, checksum, parts,
      updated_at)
    SELECT $2, $3, $4, $5::bigint, $6, $7, $8::jsonb, $9::jsonb, $10::jsonb, $11::jsonb, $12::timestamptz FROM live
    ON CONFLICT DO NOTHING RETURNING size
  ), ${settled('$5::bigint', 1)}`);

const REPLACE = prepared(`
  WITH ${LIVE}, stored AS (
    UPDATE objects SET revision = $4, size = $5::bigint, etag = $6, content_type = $7, headers = $8::jsonb,
      metadata = $9::jsonb, checksum = $10::jsonb, parts = $11::jsonb, updated_at = $12::timestamptz
    FROM live WHERE objects.bucket_id = $2 AND objects.key = $3 AND objects.revision = $13 RETURNING objects.size
  ), doomed AS (
    INSERT INTO doomed_blobs (blob, due_at) SELECT blob, $16::timestamptz FROM unnest($15::text[]) AS blob, stored
  ), ${settled('($5::bigint - $14::bigint)', 0)}`);

const COLUMNS_OF_WRITE = 'revision, size, etag, content_type, headers, metadata, checksum, parts, updated_at';
const VALUES_OF_WRITE = '$3, $4::bigint, $5, $6, $7::jsonb, $8::jsonb, $9::jsonb, $10::jsonb, $11::timestamptz';

const WRITE = prepared(`
  INSERT INTO objects (bucket_id, key, ${COLUMNS_OF_WRITE}) VALUES ($1, $2, ${VALUES_OF_WRITE})
  ON CONFLICT DO NOTHING RETURNING revision`);

const OVERWRITE = prepared(`
  WITH written AS (
    UPDATE objects SET (${COLUMNS_OF_WRITE}) = ROW (${VALUES_OF_WRITE}) WHERE bucket_id = $1 AND key = $2
    RETURNING revision
  ) SELECT revision FROM written`);

const TAKE_AWAY = `
  gone AS (
    DELETE FROM objects USING victims WHERE objects.bucket_id = $1 AND objects.key = victims.key
    RETURNING objects.key, objects.size, objects.parts
  ), doomed AS (
    INSERT INTO doomed_blobs (blob, due_at)
    SELECT part ->> 0, $4::timestamptz FROM gone CROSS JOIN LATERAL jsonb_array_elements(gone.parts) AS part
  ), total AS (
    SELECT coalesce(sum(size), 0)::bigint AS bytes, count(*) AS n FROM gone
  ), account AS (
    UPDATE storage_accounts SET bytes = storage_accounts.bytes - total.bytes FROM total
    WHERE org_id = $2 AND total.n > 0 RETURNING total.bytes AS gone_bytes, total.n AS gone_count
  ), bucket AS (
    UPDATE buckets SET ${metered('$3')}, bytes = buckets.bytes - account.gone_bytes,
      object_count = object_count - account.gone_count
    FROM account WHERE buckets.id = $1
  )
  SELECT key FROM gone`;

const DELETE = prepared(`
  WITH victims AS (
    SELECT key FROM objects WHERE bucket_id = $1 AND key = ANY($5::text[]) ORDER BY key FOR UPDATE
  ), ${TAKE_AWAY}`);

/** A write that has all its bytes. */
export interface WrittenObject extends ObjectFacts {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly checksum: StoredChecksum | null;
  readonly parts: readonly ObjectPart[];
}

/** When it happens, and when blobs that it dooms go. */
export interface ChangeTimes {
  readonly now: Date;
  readonly dueAt: Date;
}

@Injectable()
export class ObjectsStore {
  constructor(private readonly database: Database) {}

  async find(bucketId: string, key: string): Promise<StoredObject | undefined> {
    const [row] = await this.sql<StoredObject>(FIND, [bucketId, key]);
    return row;
  }

  /**
   * Stores what a write has written, in one statement with the usage, the end of its reservation, and the doom of the
   * blobs that it replaces.
   *
   * @param earlier the object that it replaces, as it was read; undefined for none.
   * @returns false when there is another object by now, or the reservation was given back. Nothing is stored then.
   * @throws {QueryFailedError} for a violation of `objects_bucket`: the bucket is gone.
   */
  async store(
    { id, bucketId }: Reservation,
    written: WrittenObject,
    earlier: StoredObject | undefined,
    { now, dueAt }: ChangeTimes,
  ): Promise<boolean> {
    const values = [id, bucketId, written.key, id, ...valuesOf(written), now];
    const rows = await (earlier === undefined
      ? this.sql(INSERT, values)
      : this.sql(REPLACE, [...values, earlier.revision, earlier.size, earlier.parts.map(([blob]) => blob), dueAt]));
    return rows.length > 0;
  }

  async isReserved(reservationId: string): Promise<boolean> {
    const rows = await this.sql('SELECT FROM storage_reservations WHERE id = $1', [reservationId]);
    return rows.length > 0;
  }

  /** Locks the object that has a key until the running transaction ends. */
  async lock(bucketId: string, key: string): Promise<StoredObject | undefined> {
    const [row] = await this.sql<StoredObject>(`${FIND} FOR UPDATE`, [bucketId, key]);
    return row;
  }

  /**
   * Writes the row of an object in the running transaction, which accounts for it.
   *
   * @param replaces whether the key has an object, which is locked.
   * @returns false when another one has appeared.
   */
  async write(object: StoredObject, replaces: boolean): Promise<boolean> {
    const values = [object.bucketId, object.key, object.revision, ...valuesOf(object), object.updatedAt];
    const rows = await this.sql(replaces ? OVERWRITE : WRITE, values);
    return rows.length > 0;
  }

  /**
   * Changes what is said about an object, and none of its bytes.
   *
   * @returns false when there is another object by now.
   */
  async describe(object: StoredObject, { contentType, headers, metadata }: ObjectFacts, now: Date): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `UPDATE objects SET content_type = $4, headers = $5, metadata = $6, updated_at = $7
       WHERE bucket_id = $1 AND key = $2 AND revision = $3`,
      [
        object.bucketId,
        object.key,
        object.revision,
        contentType,
        JSON.stringify(headers),
        JSON.stringify(metadata),
        now,
      ],
    );
    return count > 0;
  }

  /** Deletes objects and dooms their blobs. Returns the keys of those that were there. */
  async delete(
    { id, orgId }: Pick<Bucket, 'id' | 'orgId'>,
    keys: readonly string[],
    { now, dueAt }: ChangeTimes,
  ): Promise<string[]> {
    const rows = await this.sql<{ key: string }>(DELETE, [id, orgId, now, dueAt, keys]);
    return rows.map(({ key }) => key);
  }

  /** {@link delete} for up to `limit` objects that were written before a time. */
  async deleteOlderThan(
    { id, orgId }: Pick<Bucket, 'id' | 'orgId'>,
    before: Date,
    limit: number,
    { now, dueAt }: ChangeTimes,
  ): Promise<string[]> {
    const rows = await this.sql<{ key: string }>(
      `WITH victims AS (
         SELECT key FROM objects WHERE bucket_id = $1 AND updated_at < $5 AND key IN (
           SELECT key FROM objects WHERE bucket_id = $1 AND updated_at < $5 ORDER BY updated_at LIMIT $6)
         ORDER BY key FOR UPDATE
       ), ${TAKE_AWAY}`,
      [id, orgId, now, dueAt, before, limit],
    );
    return rows.map(({ key }) => key);
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}

const valuesOf = (object: WrittenObject): unknown[] => [
  object.size,
  object.etag,
  object.contentType,
  JSON.stringify(object.headers),
  JSON.stringify(object.metadata),
  object.checksum === null ? null : JSON.stringify(object.checksum),
  JSON.stringify(object.parts),
];
