import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { Bucket, ObjectFacts, ObjectPart, Reservation, StoredChecksum, StoredObject } from './bucket-rows.js';
import { gatheredByOrg } from './gathered-by-org.js';
import { metered } from './metered.js';

const OBJECT_COLUMNS = `
  bucket_id AS "bucketId", key, revision, size::float8 AS size, etag, content_type AS "contentType", headers, metadata,
  checksum, parts, updated_at AS "updatedAt"`;

const FIND = prepared(`SELECT ${OBJECT_COLUMNS} FROM objects WHERE bucket_id = $1 AND key = $2`);

/**
 * Rows are locked in one order everywhere: objects, account, buckets. Of several writes of one key the database stores
 * one, and the others read again.
 */
const STORE = prepared(`
  WITH asked AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS asked (id text, bucket_id text, key text, size bigint, etag text,
      content_type text, headers jsonb, metadata jsonb, checksum jsonb, parts jsonb, updated_at timestamptz,
      earlier text, earlier_size bigint, doomed text[])
  ), live AS (
    SELECT reservation.id FROM storage_reservations reservation JOIN asked ON asked.id = reservation.id
    ORDER BY reservation.id FOR UPDATE OF reservation
  ), inserted AS (
    INSERT INTO objects (bucket_id, key, revision, size, etag, content_type, headers, metadata, checksum, parts,
      updated_at)
    SELECT bucket_id, key, asked.id, size, etag, content_type, headers, metadata, checksum, parts, updated_at
    FROM asked JOIN live ON live.id = asked.id WHERE earlier IS NULL ORDER BY bucket_id, key
    ON CONFLICT DO NOTHING RETURNING revision AS id, bucket_id, size AS gained, 1 AS added
  ), replaced AS (
    UPDATE objects SET revision = asked.id, size = asked.size, etag = asked.etag, content_type = asked.content_type,
      headers = asked.headers, metadata = asked.metadata, checksum = asked.checksum, parts = asked.parts,
      updated_at = asked.updated_at
    FROM asked JOIN live ON live.id = asked.id
    WHERE objects.bucket_id = asked.bucket_id AND objects.key = asked.key AND objects.revision = asked.earlier
    RETURNING objects.revision AS id, objects.bucket_id, objects.size - asked.earlier_size AS gained, 0 AS added
  ), stored AS (
    SELECT id, bucket_id, gained, added FROM inserted UNION ALL SELECT id, bucket_id, gained, added FROM replaced
  ), doomed AS (
    INSERT INTO doomed_blobs (blob, due_at)
    SELECT unnest(asked.doomed), $3::timestamptz FROM stored JOIN asked ON asked.id = stored.id
  ), released AS (
    DELETE FROM storage_reservations USING stored WHERE storage_reservations.id = stored.id
    RETURNING storage_reservations.bytes
  ), account AS (
    UPDATE storage_accounts SET bytes = storage_accounts.bytes + total.gained, reserved = reserved - total.released
    FROM (
      SELECT coalesce(sum(gained), 0) AS gained, count(*) AS n,
        (SELECT coalesce(sum(bytes), 0) FROM released) AS released
      FROM stored
    ) total
    WHERE storage_accounts.org_id = $4 AND total.n > 0 RETURNING storage_accounts.org_id
  ), bucket AS (
    UPDATE buckets SET ${metered('$2')}, bytes = bytes + total.gained, object_count = object_count + total.added
    FROM (SELECT bucket_id, sum(gained) AS gained, sum(added) AS added FROM stored GROUP BY bucket_id) total, account
    WHERE buckets.id = total.bucket_id
  )
  SELECT id FROM stored`);

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

interface Storing {
  readonly reservation: Reservation;
  readonly written: WrittenObject;
  readonly earlier: StoredObject | undefined;
  readonly times: ChangeTimes;
}

@Injectable()
export class ObjectsStore {
  private readonly gathered = gatheredByOrg<Storing, boolean>((all) => this.storeAll(all));

  constructor(private readonly database: Database) {}

  async find(bucketId: string, key: string): Promise<StoredObject | undefined> {
    const [row] = await this.sql<StoredObject>(FIND, [bucketId, key]);
    return row;
  }

  /**
   * Stores what a write has written, in one statement with the usage, the end of its reservation, and the doom of the
   * blobs that it replaces. Writes of the same organization at the same time share the statement.
   *
   * @param earlier the object that it replaces, as it was read; undefined for none.
   * @returns false when there is another object by now, or the reservation was given back. Nothing is stored then.
   * @throws {QueryFailedError} for a violation of `objects_bucket`: the bucket is gone.
   */
  store(
    reservation: Reservation,
    written: WrittenObject,
    earlier: StoredObject | undefined,
    times: ChangeTimes,
  ): Promise<boolean> {
    const storing = { reservation, written, earlier, times };
    return this.database.inTransaction
      ? this.storeAll([storing]).then(([isStored]) => isStored === true)
      : this.gathered(storing);
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

  private async storeAll(all: readonly Storing[]): Promise<boolean[]> {
    const { reservation, times } = all.at(-1)!;
    const values = [JSON.stringify(all.map(rowOf)), times.now, times.dueAt, reservation.orgId];
    const stored = new Set((await this.sql<{ id: string }>(STORE, values)).map(({ id }) => id));
    return all.map(({ reservation: { id } }) => stored.has(id));
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}

const rowOf = ({ reservation, written, earlier, times }: Storing): object => ({
  ...{ id: reservation.id, bucket_id: reservation.bucketId, key: written.key, size: written.size, etag: written.etag },
  ...{ content_type: written.contentType, headers: written.headers, metadata: written.metadata },
  ...{ checksum: written.checksum, parts: written.parts, updated_at: times.now },
  ...{ earlier: earlier?.revision ?? null, earlier_size: earlier?.size ?? null },
  doomed: earlier?.parts.map(([blob]) => blob) ?? [],
});

const valuesOf = (object: WrittenObject): unknown[] => [
  object.size,
  object.etag,
  object.contentType,
  JSON.stringify(object.headers),
  JSON.stringify(object.metadata),
  object.checksum === null ? null : JSON.stringify(object.checksum),
  JSON.stringify(object.parts),
];
