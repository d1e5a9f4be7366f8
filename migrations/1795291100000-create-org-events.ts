import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release neither writes nor reads these events. */
export class CreateOrgEvents1795291100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE org_events (
        id     text        PRIMARY KEY CHECK (id LIKE 'evt_%'),
        seq    bigint      GENERATED ALWAYS AS IDENTITY,
        org_id text        NOT NULL REFERENCES organizations (id),
        type   text        NOT NULL,
        at     timestamptz NOT NULL,
        data   jsonb       NOT NULL
      )
    `);
    await runner.query('CREATE UNIQUE INDEX org_events_by_org ON org_events (org_id, seq)');
    await runner.query('CREATE INDEX org_events_age ON org_events (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE org_events');
  }
}
