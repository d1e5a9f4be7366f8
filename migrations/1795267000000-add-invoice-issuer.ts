import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = [
  'id',
  'org_id',
  'period_from',
  'period_to',
  'number',
  'bill_to',
  'cutoff_at',
  'total_cents',
  'created_at',
  'finalized_at',
  'due_at',
];

/** Expand only: invoices of the previous release name nobody. */
export class AddInvoiceIssuer1795267000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE invoices ADD COLUMN issuer text NOT NULL DEFAULT ''");
    await this.keep(runner, [...COLUMNS, 'issuer']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.keep(runner, COLUMNS);
    await runner.query('ALTER TABLE invoices DROP COLUMN issuer');
  }

  /** What of a finalized invoice never changes. */
  private async keep(runner: QueryRunner, columns: readonly string[]): Promise<void> {
    const of = (row: string): string => columns.map((column) => `${row}.${column}`).join(', ');
    await runner.query(`
      CREATE OR REPLACE FUNCTION refuse_change_of_finalized_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.number IS NULL THEN
          RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
        END IF;
        IF TG_OP = 'DELETE' OR (${of('NEW')}) IS DISTINCT FROM (${of('OLD')})
          OR NOT (OLD.state = NEW.state OR (OLD.state = 'finalized' AND NEW.state IN ('paid', 'overdue', 'void'))
            OR (OLD.state = 'overdue' AND NEW.state IN ('paid', 'void'))) THEN
          RAISE EXCEPTION 'A finalized invoice never changes.';
        END IF;
        RETURN NEW;
      END $$
    `);
  }
}
