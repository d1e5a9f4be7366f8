import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: holds of the previous release have no budgets. */
export class CreateBudgets1795291800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE budgets (
        id         text        PRIMARY KEY CHECK (id LIKE 'bgt_%'),
        org_id     text        NOT NULL REFERENCES credit_accounts (org_id),
        subject    text        NOT NULL CHECK (length(subject) BETWEEN 3 AND 100),
        "window"   text        NOT NULL CONSTRAINT budgets_window CHECK ("window" IN ('day', 'month', 'total')),
        limit_nano bigint      NOT NULL CHECK (limit_nano >= 0),
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT budgets_subject UNIQUE (org_id, subject)
      )
    `);
    await runner.query(`
      CREATE TABLE budget_periods (
        budget_id   text   NOT NULL REFERENCES budgets (id) ON DELETE CASCADE,
        period      text   NOT NULL,
        posted_nano bigint NOT NULL CHECK (posted_nano >= 0),
        held_nano   bigint NOT NULL CHECK (held_nano >= 0),
        PRIMARY KEY (budget_id, period)
      ) WITH (fillfactor = 80)
    `);
    // Of which budgets a hold has its amount: [{"budget": "bgt_…", "period": "2026-11"}].
    await runner.query("ALTER TABLE holds ADD COLUMN budgets jsonb NOT NULL DEFAULT '[]'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE holds DROP COLUMN budgets');
    await runner.query('DROP TABLE budget_periods');
    await runner.query('DROP TABLE budgets');
  }
}
