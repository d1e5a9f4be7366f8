import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { Bucket, ObjectUpload, Reservation, UploadPart } from './bucket-rows.js';
import { metered } from './metered.js';
import type { ChangeTimes } from './objects.store.js';

const COLUMNS = `
  id, bucket_id AS "bucketId", key, content_type AS "contentType", headers, metadata,
  checksum_algorithm AS "checksumAlgorithm", checksum_type AS "checksumType",
  size::float8 AS "sizeBytes", created_at AS "createdAt"`;

const PART_COLUMNS = `
  upload_id AS "uploadId", number, revision, size::float8 AS size, etag, checksum, blob, updated_at AS "updatedAt"`;

const settled = (size: string): string => `
  released AS (
    DELETE FROM storage_reservations USING stored WHERE storage_reservations.id = $1
    RETURNING storage_reservations.org_id, storage_reservations.bytes
  ), account AS (
    UPDATE storage_accounts SET bytes = storage_accounts.bytes + ${size}, reserved = reserved - released.bytes
    FROM released WHERE storage_accounts.org_id = released.org_id RETURNING storage_accounts.org_id
  ), bucket AS (
    UPDATE buckets SET ${metered('$9')}, bytes = bytes + ${size} FROM account WHERE buckets.id = $2
    RETURNING buckets.id
  )
  SELECT id FROM bucket`;

/**
 * The reservation of the part, and its upload, which stays as it is until the part is stored. A completion locks the
 * upload first, so that it lists the part that is there and dooms none that it lists.
 */
const LIVE = `
  live AS (
    SELECT reservation.id FROM storage_reservations reservation, object_uploads upload
    WHERE reservation.id = $1 AND upload.id = $3 FOR UPDATE OF reservation FOR KEY SHARE OF upload)`;

const INSERT_PART = prepared(`
  WITH ${LIVE}, stored AS (
    INSERT INTO upload_parts (upload_id, number, revision, size, etag, checksum, blob, updated_at)
    SELECT $3, $4::int, $1, $5::bigint, $6, $7::jsonb, $8, $9::timestamptz FROM live ON CONFLICT DO NOTHING
    RETURNING number
  ), ${settled('$5::bigint')}`);

const REPLACE_PART = prepared(`
  WITH ${LIVE}, stored AS (
    UPDATE upload_parts SET revision = $1, size = $5::bigint, etag = $6, checksum = $7::jsonb, blob = $8,
      updated_at = $9::timestamptz
    FROM live WHERE upload_id = $3 AND number = $4::int AND revision = $10 RETURNING number
  ), doomed AS (
    INSERT INTO doomed_blobs (blob, due_at)
    SELECT $12::text, $13::timestamptz FROM stored WHERE $12::text IS NOT NULL
  ), ${settled('($5::bigint - $11::bigint)')}`);

/** The position in a list of uploads: the key, and the id among those of the same key. */
export interface UploadMark {
  readonly key: string;
  readonly id: string;
}

@Injectable()
export class ObjectUploadsStore {
  constructor(private readonly database: Database) {}

  /** @throws {QueryFailedError} for a violation of `object_uploads_bucket`: the bucket is gone. */
  async insert(upload: ObjectUpload): Promise<void> {
    await this.sql(
      `INSERT INTO object_uploads (id, bucket_id, key, content_type, headers, metadata, checksum_algorithm,
         checksum_type, size, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        upload.id,
        upload.bucketId,
        upload.key,
        upload.contentType,
        JSON.stringify(upload.headers),
        JSON.stringify(upload.metadata),
        upload.checksumAlgorithm,
        upload.checksumType,
        upload.sizeBytes,
        upload.createdAt,
      ],
    );
  }

  async find(bucketId: string, id: string): Promise<ObjectUpload | undefined> {
    const [row] = await this.sql<ObjectUpload>(
      `SELECT ${COLUMNS} FROM object_uploads WHERE bucket_id = $1 AND id = $2`,
      [bucketId, id],
    );
    return row;
  }

  /** Locks an upload against parts, completion and the end, until the running transaction ends. */
  async lock(bucketId: string, id: string): Promise<ObjectUpload | undefined> {
    const [row] = await this.sql<ObjectUpload>(
      `SELECT ${COLUMNS} FROM object_uploads WHERE bucket_id = $1 AND id = $2 FOR UPDATE`,
      [bucketId, id],
    );
    return row;
  }

  /** Returns up to `limit` uploads with keys below a prefix, by key and then by age. */
  list(bucketId: string, prefix: string, after: UploadMark | undefined, limit: number): Promise<ObjectUpload[]> {
    return this.sql(
      `SELECT ${COLUMNS} FROM object_uploads
       WHERE bucket_id = $1 AND starts_with(key, $2) AND key >= $3 AND (key > $3 OR id > $4)
       ORDER BY key, id LIMIT $5`,
      [bucketId, prefix, after?.key ?? '', after?.id ?? '', limit],
    );
  }

  /** Returns uploads that were begun before a time. */
  begunBefore(time: Date, limit: number): Promise<{ id: string; bucketId: string; orgId: string }[]> {
    return this.sql(
      `SELECT upload.id, bucket_id AS "bucketId", org_id AS "orgId"
       FROM object_uploads upload JOIN buckets ON buckets.id = bucket_id
       WHERE upload.created_at < $1 ORDER BY upload.created_at LIMIT $2`,
      [time, limit],
    );
  }

  parts(uploadId: string, after: number, limit: number): Promise<UploadPart[]> {
    return this.sql(
      `SELECT ${PART_COLUMNS} FROM upload_parts WHERE upload_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
      [uploadId, after, limit],
    );
  }

  async part(uploadId: string, number: number): Promise<UploadPart | undefined> {
    const [row] = await this.parts(uploadId, number - 1, 1);
    return row?.number === number ? row : undefined;
  }

  /**
   * Stores a part, in one statement with the usage and the end of its reservation.
   *
   * @param earlier the part that it replaces, as it was read; undefined for none.
   * @returns false when there is another part by now, the upload is over, or the reservation was given back.
   */
  async storePart(
    { bucketId }: Pick<Reservation, 'bucketId'>,
    part: UploadPart,
    earlier: UploadPart | undefined,
    dueAt: Date,
  ): Promise<boolean> {
    const values = [
      part.revision,
      bucketId,
      part.uploadId,
      part.number,
      part.size,
      part.etag,
      part.checksum === null ? null : JSON.stringify(part.checksum),
      part.blob,
      part.updatedAt,
    ];
    const rows = await (earlier === undefined
      ? this.sql(INSERT_PART, values)
      : this.sql(REPLACE_PART, [...values, earlier.revision, earlier.size, earlier.blob, dueAt]));
    return rows.length > 0;
  }

  /** Deletes an upload that is locked, and its parts. What becomes of the bytes is said by {@link account}. */
  async delete(id: string): Promise<void> {
    await this.sql('DELETE FROM upload_parts WHERE upload_id = $1', [id]);
    await this.sql('DELETE FROM object_uploads WHERE id = $1', [id]);
  }

  /** Changes the usage by what the running transaction has done. It is the last thing that the transaction does. */
  async account(
    { id, orgId }: Pick<Bucket, 'id' | 'orgId'>,
    { bytes, objects }: { bytes: number; objects: number },
    { now }: ChangeTimes,
  ): Promise<void> {
    await this.sql('UPDATE storage_accounts SET bytes = bytes + $2::bigint WHERE org_id = $1', [orgId, bytes]);
    await this.sql(
      `UPDATE buckets SET ${metered('$4')}, bytes = bytes + $2::bigint, object_count = object_count + $3::bigint
       WHERE id = $1`,
      [id, bytes, objects, now],
    );
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
