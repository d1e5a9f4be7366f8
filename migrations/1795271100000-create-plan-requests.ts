import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release lets plans begin without a request. */
export class CreatePlanRequests1795271100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE plan_requests (
        org_id       text        PRIMARY KEY REFERENCES organizations (id),
        plan         text        NOT NULL,
        requested_at timestamptz NOT NULL,
        CONSTRAINT plan_requests_plan CHECK (plan IN ('builder', 'pro'))
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE plan_requests');
  }
}
