import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release runs its schedules in every worker, which they all bear. */
export class CreateScheduleLeases1795274000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE schedule_leases (
        name         text        PRIMARY KEY,
        holder       text        NOT NULL,
        expires_at   timestamptz NOT NULL,
        succeeded_at timestamptz
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schedule_leases');
  }
}
