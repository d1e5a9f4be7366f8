import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: budgets of the previous release are all set by people. */
export class AddWorkBudgets1795292690000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // True for the budget of one piece of work, such as a run of an agent. There are as many of them as work.
    await runner.query('ALTER TABLE budgets ADD COLUMN of_work boolean NOT NULL DEFAULT false');
    await runner.query('CREATE INDEX budgets_listed ON budgets (org_id, id DESC) WHERE NOT of_work');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX budgets_listed');
    await runner.query('DELETE FROM budgets WHERE of_work');
    await runner.query('ALTER TABLE budgets DROP COLUMN of_work');
  }
}
