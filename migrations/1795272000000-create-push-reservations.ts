import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: pushes that the previous release takes reserve nothing, as before. */
export class CreatePushReservations1795272000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The room that pushes under way may still fill. A push whose process died gives its room back when it expires.
    await runner.query(`
      CREATE TABLE push_reservations (
        id            text        PRIMARY KEY,
        repository_id text        NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
        bytes         bigint      NOT NULL,
        expires_at    timestamptz NOT NULL,
        CONSTRAINT push_reservations_bytes CHECK (bytes > 0)
      )
    `);
    await runner.query('CREATE INDEX push_reservations_by_repository ON push_reservations (repository_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE push_reservations');
  }
}
