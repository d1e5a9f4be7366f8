import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateObjectStorage1795293250000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createBuckets(runner);
    await createObjects(runner);
    await createWrites(runner);
    await createAccess(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'storage_attachments',
      'storage_access_keys',
      'doomed_blobs',
      'storage_reservations',
      'upload_parts',
      'object_uploads',
      'objects',
      'deleted_buckets',
      'buckets',
      'storage_accounts',
    ])
      await runner.query(`DROP TABLE ${table}`);
  }
}

/** How many bytes a bucket has kept for how long, at its last change, at the hour before it, and at its last sample. */
const METERED = `
  byte_ms         numeric(40)  NOT NULL CHECK (byte_ms >= 0),
  as_of           timestamptz  NOT NULL,
  hour_byte_ms    numeric(40)  NOT NULL,
  hour_at         timestamptz  NOT NULL,
  sampled_byte_ms numeric(40)  NOT NULL,
  sampled_at      timestamptz  NOT NULL,
  sampled_bytes   bigint       NOT NULL CHECK (sampled_bytes >= 0)`;

async function createBuckets(runner: QueryRunner): Promise<void> {
  // One row for each organization, so that its limit holds for all buckets together, however many write at once.
  await runner.query(`
    CREATE TABLE storage_accounts (
      org_id   text   PRIMARY KEY REFERENCES organizations (id),
      bytes    bigint NOT NULL CHECK (bytes >= 0),
      reserved bigint NOT NULL CHECK (reserved >= 0)
    )
  `);
  await runner.query(`
    CREATE TABLE buckets (
      id                text        PRIMARY KEY CHECK (id LIKE 'bkt_%'),
      org_id            text        NOT NULL REFERENCES organizations (id),
      project_id        text        REFERENCES projects (id),
      name              text        NOT NULL,
      label             text        NOT NULL UNIQUE,
      visibility        text        NOT NULL CHECK (visibility IN ('private', 'public')),
      cors              jsonb       NOT NULL,
      expire_after_days int         CHECK (expire_after_days > 0),
      bytes             bigint      NOT NULL CHECK (bytes >= 0),
      object_count      bigint      NOT NULL CHECK (object_count >= 0),
      ${METERED},
      created_by        text        REFERENCES users (id),
      created_at        timestamptz NOT NULL,
      updated_at        timestamptz NOT NULL,
      CONSTRAINT buckets_name UNIQUE (org_id, name)
    )
  `);
  await runner.query('CREATE INDEX buckets_by_org ON buckets (org_id, id)');
  await runner.query('CREATE INDEX buckets_by_project ON buckets (project_id) WHERE project_id IS NOT NULL');
  await runner.query('CREATE INDEX buckets_that_expire ON buckets (id) WHERE expire_after_days IS NOT NULL');
  // What a deleted bucket kept is still to be billed: it stays here until the next sample.
  await runner.query(`
    CREATE TABLE deleted_buckets (
      id         text        PRIMARY KEY,
      org_id     text        NOT NULL,
      project_id text,
      bytes      bigint      NOT NULL CHECK (bytes = 0),
      ${METERED},
      deleted_at timestamptz NOT NULL
    )
  `);
}

async function createObjects(runner: QueryRunner): Promise<void> {
  // Keys are ordered by their bytes, which is what S3 promises.
  await runner.query(`
    CREATE TABLE objects (
      bucket_id    text        NOT NULL CONSTRAINT objects_bucket REFERENCES buckets (id),
      key          text        COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 1024),
      revision     text        NOT NULL,
      size         bigint      NOT NULL CHECK (size >= 0),
      etag         text        NOT NULL,
      content_type text        NOT NULL,
      headers      jsonb       NOT NULL,
      metadata     jsonb       NOT NULL,
      checksum     jsonb,
      parts        jsonb       NOT NULL,
      updated_at   timestamptz NOT NULL,
      PRIMARY KEY (bucket_id, key)
    )
  `);
  await runner.query('CREATE INDEX objects_by_age ON objects (bucket_id, updated_at)');
  await runner.query(`
    CREATE TABLE object_uploads (
      id                 text        PRIMARY KEY CHECK (id LIKE 'mpu_%'),
      bucket_id          text        NOT NULL CONSTRAINT object_uploads_bucket REFERENCES buckets (id),
      key                text        COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 1024),
      content_type       text        NOT NULL,
      headers            jsonb       NOT NULL,
      metadata           jsonb       NOT NULL,
      checksum_algorithm text,
      checksum_type      text,
      size               bigint      CHECK (size >= 0),
      created_at         timestamptz NOT NULL
    )
  `);
  await runner.query('CREATE INDEX object_uploads_by_key ON object_uploads (bucket_id, key, id)');
  await runner.query('CREATE INDEX object_uploads_by_age ON object_uploads (created_at)');
  await runner.query(`
    CREATE TABLE upload_parts (
      upload_id  text        NOT NULL CONSTRAINT upload_parts_upload REFERENCES object_uploads (id),
      number     int         NOT NULL CHECK (number BETWEEN 1 AND 10000),
      revision   text        NOT NULL,
      size       bigint      NOT NULL CHECK (size >= 0),
      etag       text        NOT NULL,
      checksum   jsonb,
      blob       text,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (upload_id, number)
    )
  `);
}

async function createWrites(runner: QueryRunner): Promise<void> {
  // The blob is named before it exists, so that no fault leaves one that nothing knows.
  await runner.query(`
    CREATE TABLE storage_reservations (
      id          text        PRIMARY KEY CHECK (id LIKE 'rsv_%'),
      org_id      text        NOT NULL,
      bucket_id   text        NOT NULL,
      bytes       bigint      NOT NULL CHECK (bytes >= 0),
      blob        text        NOT NULL,
      lease_until timestamptz NOT NULL
    )
  `);
  await runner.query('CREATE INDEX storage_reservations_due ON storage_reservations (lease_until)');
  await runner.query('CREATE INDEX storage_reservations_by_bucket ON storage_reservations (bucket_id)');
  await runner.query(`
    CREATE TABLE doomed_blobs (
      blob   text        PRIMARY KEY,
      due_at timestamptz NOT NULL
    )
  `);
  await runner.query('CREATE INDEX doomed_blobs_due ON doomed_blobs (due_at)');
}

async function createAccess(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE storage_access_keys (
      id             text        PRIMARY KEY CHECK (id ~ '^AK[A-Z2-7]{18}$'),
      org_id         text        NOT NULL REFERENCES organizations (id),
      project_id     text        REFERENCES projects (id),
      name           text        NOT NULL,
      access         text        NOT NULL CHECK (access IN ('read', 'write')),
      bucket_ids     text[],
      sealed_secret  bytea       NOT NULL,
      created_by     text        NOT NULL REFERENCES users (id),
      created_key_id text,
      created_at     timestamptz NOT NULL,
      expires_at     timestamptz,
      last_used_at   timestamptz
    )
  `);
  await runner.query('CREATE INDEX storage_access_keys_by_org ON storage_access_keys (org_id, created_at DESC, id)');
  await runner.query(`
    CREATE TABLE storage_attachments (
      bucket_id     text        NOT NULL REFERENCES buckets (id),
      project_id    text        NOT NULL REFERENCES projects (id),
      prefix        text        NOT NULL,
      access        text        NOT NULL CHECK (access IN ('read', 'write')),
      targets       text[]      NOT NULL,
      access_key_id text        NOT NULL REFERENCES storage_access_keys (id),
      created_at    timestamptz NOT NULL,
      PRIMARY KEY (bucket_id, project_id),
      CONSTRAINT storage_attachments_prefix UNIQUE (project_id, prefix)
    )
  `);
}
