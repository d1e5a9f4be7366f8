import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: deploys that the previous release keeps reserve nothing, as before, and count from their row on. */
export class CreateStoredBytesReservations1795273000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The room of deploys whose files are being kept. That of a process that died is free again when it expires.
    await runner.query(`
      CREATE TABLE stored_bytes_reservations (
        deploy_id  text        PRIMARY KEY,
        org_id     text        NOT NULL,
        bytes      bigint      NOT NULL CHECK (bytes >= 0),
        expires_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX stored_bytes_reservations_by_org ON stored_bytes_reservations (org_id)');
    await runner.query('CREATE INDEX hosted_deploys_by_org ON hosted_deploys (org_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX hosted_deploys_by_org');
    await runner.query('DROP TABLE stored_bytes_reservations');
  }
}
