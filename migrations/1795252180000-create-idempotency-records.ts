import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of writes, kept for a day so that a call that is sent again is not done again. */
export class CreateIdempotencyRecords1795252180000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_records (
        scope       text        NOT NULL,
        key         text        NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
        fingerprint bytea       NOT NULL,
        holder      text        NOT NULL,
        held_until  timestamptz,
        status      integer,
        answer      bytea,
        created_at  timestamptz NOT NULL,
        expires_at  timestamptz NOT NULL,
        PRIMARY KEY (scope, key),
        CONSTRAINT idempotency_records_answered CHECK ((status IS NULL) = (answer IS NULL))
      )
    `);
    await runner.query('CREATE INDEX idempotency_records_by_expiry ON idempotency_records (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_records');
  }
}
