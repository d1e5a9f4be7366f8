import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release leaves it empty, and bills at the month's end what it would hold. */
export class CreateUnpaidUsage1795266000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What was recorded without having been held for, until it is paid for: seconds, as a rule.
    await runner.query(`
      CREATE TABLE unpaid_usage (
        org_id    text           NOT NULL REFERENCES organizations (id),
        month     date           NOT NULL,
        meter     text           NOT NULL,
        model     text           NOT NULL,
        cost_nano numeric(38, 0) NOT NULL CHECK (cost_nano >= 0),
        PRIMARY KEY (org_id, month, meter, model)
      ) WITH (fillfactor = 50)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE unpaid_usage');
  }
}
