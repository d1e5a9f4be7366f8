import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { GatheringWriter } from '../../../platform/database/gathering-writer.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { StoredObject } from './bucket-rows.js';

/** About a millisecond of PostgreSQL. */
const MAX_BATCH = 100;

/**
 * Each bucket is found as {@link BucketsStore.findByName} finds it. The columns of an object are left out when it still
 * has the version that the asker knows. A `LIMIT` keeps each lookup on its index, whatever the plan expects.
 */
const FIND = prepared(`
  SELECT asked.n::int AS n, bucket.id AS "bucketId", object.version, object.key, object.revision, object.size,
    object.etag, object."contentType", object.headers, object.metadata, object.checksum, object.parts,
    object."updatedAt"
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS asked (org_id, name, key, version, n)
  CROSS JOIN LATERAL (
    SELECT id FROM buckets WHERE org_id = asked.org_id AND (label = asked.name OR buckets.name = asked.name)
    ORDER BY label = asked.name DESC LIMIT 1
  ) bucket
  LEFT JOIN LATERAL (
    SELECT found.version,
      CASE WHEN is_new THEN key END AS key,
      CASE WHEN is_new THEN revision END AS revision,
      CASE WHEN is_new THEN size::float8 END AS size,
      CASE WHEN is_new THEN etag END AS etag,
      CASE WHEN is_new THEN content_type END AS "contentType",
      CASE WHEN is_new THEN headers END AS headers,
      CASE WHEN is_new THEN metadata END AS metadata,
      CASE WHEN is_new THEN checksum END AS checksum,
      CASE WHEN is_new THEN parts END AS parts,
      CASE WHEN is_new THEN updated_at END AS "updatedAt"
    FROM objects
    CROSS JOIN LATERAL (SELECT objects.revision || ' ' || objects.xmin::text AS version) found
    CROSS JOIN LATERAL (SELECT found.version <> asked.version AS is_new) differs
    WHERE objects.bucket_id = bucket.id AND objects.key = asked.key LIMIT 1
  ) object ON true`);

export interface ObjectAddress {
  readonly orgId: string;
  /** The name or the label of the bucket. */
  readonly bucketName: string;
  readonly key: string;
}

/** An object as a transaction has left it. */
export interface ObjectVersion {
  readonly object: StoredObject;
  /** The write that it comes from, and the transaction that has changed it last. */
  readonly version: string;
}

export interface Located {
  readonly bucketId: string;
  /** The asker's own when it is still the current one; undefined when there is no such object. */
  readonly found: ObjectVersion | undefined;
}

interface Question extends ObjectAddress {
  readonly known: ObjectVersion | undefined;
}

type Row = { readonly n: number; readonly bucketId: string; readonly version: string | null } & StoredObject;

/**
 * Finds buckets with an object of each. The questions that arrive while a query runs share the next one, which begins
 * after they were asked: each answer has everything that was committed before its question.
 */
@Injectable()
export class ObjectLookupsStore {
  private readonly lookups: GatheringWriter<Question, Located | undefined>;

  constructor(private readonly database: Database) {
    this.lookups = new GatheringWriter({
      keyOf: () => '',
      lanes: 1,
      writersOfLane: 2,
      maxBatch: MAX_BATCH,
      write: async (questions) => (await this.find(questions)).map((answer) => ({ answer })),
    });
  }

  /** @param known what the asker remembers of the object. Undefined is returned when there is no such bucket. */
  locate(address: ObjectAddress, known: ObjectVersion | undefined): Promise<Located | undefined> {
    return this.lookups.write({ ...address, known });
  }

  private async find(questions: readonly Question[]): Promise<(Located | undefined)[]> {
    const rows = await this.database.manager.query<Row[]>(FIND, [
      questions.map(({ orgId }) => orgId),
      questions.map(({ bucketName }) => bucketName),
      questions.map(({ key }) => key),
      questions.map(({ known }) => known?.version ?? ''),
    ]);
    const located = new Array<Located | undefined>(questions.length).fill(undefined);
    for (const { n, bucketId, version, ...columns } of rows)
      located[n - 1] = { bucketId, found: foundOf(questions[n - 1]!, bucketId, version, columns) };
    return located;
  }
}

function foundOf(
  { known }: Question,
  bucketId: string,
  version: string | null,
  columns: Omit<StoredObject, 'bucketId'>,
): ObjectVersion | undefined {
  if (version === null) return undefined;
  return version === known?.version ? known : { version, object: { bucketId, ...columns } };
}
