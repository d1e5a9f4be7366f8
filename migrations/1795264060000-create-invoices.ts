import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateInvoices1795264060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invoices (
        id            text        PRIMARY KEY CHECK (id LIKE 'ivc_%'),
        org_id        text        NOT NULL REFERENCES organizations (id),
        period_from   timestamptz NOT NULL,
        period_to     timestamptz NOT NULL,
        state         text        NOT NULL,
        number        bigint,
        bill_to       jsonb       NOT NULL,
        cutoff_at     timestamptz,
        total_cents   bigint,
        created_at    timestamptz NOT NULL,
        finalized_at  timestamptz,
        due_at        timestamptz,
        overdue_at    timestamptz,
        paid_at       timestamptz,
        payment       text,
        voided_at     timestamptz,
        CONSTRAINT invoices_number_unique UNIQUE (number),
        CONSTRAINT invoices_one_of_period UNIQUE (org_id, period_from),
        CONSTRAINT invoices_state CHECK (state IN ('gathering', 'draft', 'finalized', 'paid', 'overdue', 'void')),
        CONSTRAINT invoices_total CHECK (total_cents >= 0 AND (total_cents IS NULL) = (state = 'gathering')),
        CONSTRAINT invoices_cutoff CHECK (cutoff_at IS NOT NULL OR state = 'gathering'),
        CONSTRAINT invoices_numbered_when_finalized CHECK ((number IS NULL) = (state IN ('gathering', 'draft'))
          AND (finalized_at IS NULL) = (number IS NULL) AND (due_at IS NULL) = (number IS NULL)),
        CONSTRAINT invoices_paid
          CHECK ((paid_at IS NOT NULL) = (state = 'paid') AND (payment IS NULL OR state = 'paid')),
        CONSTRAINT invoices_void CHECK ((voided_at IS NOT NULL) = (state = 'void'))
      )
    `);
    await runner.query(`CREATE INDEX invoices_by_org ON invoices (org_id, id DESC)`);
    await runner.query(`CREATE INDEX invoices_due ON invoices (due_at) WHERE state = 'finalized'`);
    await runner.query(`
      CREATE TABLE invoice_lines (
        invoice_id      text           NOT NULL REFERENCES invoices (id),
        position        int            NOT NULL CHECK (position > 0),
        kind            text           NOT NULL,
        plan            text,
        meter           text,
        model           text,
        price_version   text,
        price_nano      bigint,
        priced_per      text,
        quantity        numeric(38, 0),
        unit            text,
        period_from     timestamptz    NOT NULL,
        period_to       timestamptz    NOT NULL,
        amount_nano     bigint         NOT NULL,
        PRIMARY KEY (invoice_id, position),
        CONSTRAINT invoice_lines_kind
          CHECK (kind IN ('base_fee', 'usage', 'adjustment', 'credits', 'not_charged', 'rounding')),
        CONSTRAINT invoice_lines_base_fee CHECK ((plan IS NOT NULL) = (kind = 'base_fee')),
        CONSTRAINT invoice_lines_usage
          CHECK ((meter IS NOT NULL) = (kind IN ('usage', 'adjustment'))
          AND (quantity IS NOT NULL) = (kind IN ('usage', 'adjustment', 'base_fee')))
      )
    `);
    // Gapless: the row is locked by whoever numbers, and a rollback takes the number back.
    await runner.query(`
      CREATE TABLE document_numbers (
        series text   PRIMARY KEY CHECK (series IN ('invoice', 'credit_note')),
        last   bigint NOT NULL CHECK (last >= 0)
      )
    `);
    await runner.query(`INSERT INTO document_numbers (series, last) VALUES ('invoice', 0), ('credit_note', 0)`);
    await runner.query(`
      CREATE TABLE credit_notes (
        id           text        PRIMARY KEY CHECK (id LIKE 'crn_%'),
        number       bigint      NOT NULL CONSTRAINT credit_notes_number_unique UNIQUE,
        key          text        NOT NULL,
        invoice_id   text        NOT NULL REFERENCES invoices (id),
        amount_cents bigint      NOT NULL CHECK (amount_cents > 0),
        reason       text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 100),
        created_at   timestamptz NOT NULL,
        CONSTRAINT credit_notes_key_unique UNIQUE (invoice_id, key)
      )
    `);
    // Which months are closed: for one organization, with or without an invoice, and for all of them.
    await runner.query(`
      CREATE TABLE closed_org_periods (
        org_id      text        NOT NULL REFERENCES organizations (id),
        period_from timestamptz NOT NULL,
        invoice_id  text        REFERENCES invoices (id),
        closed_at   timestamptz NOT NULL,
        PRIMARY KEY (org_id, period_from)
      )
    `);
    await runner.query(`
      CREATE TABLE closed_periods (
        period_from timestamptz PRIMARY KEY,
        closed_at   timestamptz NOT NULL
      )
    `);
    // Nothing from before this release is billed: the month that it comes in is the first.
    await runner.query(`
      INSERT INTO closed_periods (period_from, closed_at)
        VALUES (date_trunc('month', now(), 'UTC') - interval '1 month', now())`);
    await this.keepFinalized(runner);
  }

  /**
   * What is finalized never changes: neither the invoice, but for what becomes of it, nor its lines, nor a credit note.
   */
  private async keepFinalized(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION refuse_change_of_finalized_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.number IS NULL THEN
          RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
        END IF;
        IF TG_OP = 'DELETE'
          OR (NEW.id, NEW.org_id, NEW.period_from, NEW.period_to, NEW.number, NEW.bill_to, NEW.cutoff_at,
          NEW.total_cents, NEW.created_at, NEW.finalized_at, NEW.due_at)
          IS DISTINCT FROM (OLD.id, OLD.org_id, OLD.period_from, OLD.period_to, OLD.number, OLD.bill_to,
            OLD.cutoff_at, OLD.total_cents, OLD.created_at, OLD.finalized_at, OLD.due_at)
          OR NOT (OLD.state = NEW.state OR (OLD.state = 'finalized' AND NEW.state IN ('paid', 'overdue', 'void'))
            OR (OLD.state = 'overdue' AND NEW.state IN ('paid', 'void'))) THEN
          RAISE EXCEPTION 'A finalized invoice never changes.';
        END IF;
        RETURN NEW;
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER invoices_never_change_once_finalized BEFORE UPDATE OR DELETE ON invoices
      FOR EACH ROW EXECUTE FUNCTION refuse_change_of_finalized_invoice()
    `);
    await runner.query(`
      CREATE FUNCTION refuse_change_of_finalized_lines() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT number FROM invoices WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.invoice_id
          ELSE OLD.invoice_id END) IS NOT NULL THEN
          RAISE EXCEPTION 'The lines of a finalized invoice never change.';
        END IF;
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER invoice_lines_never_change_once_finalized BEFORE INSERT OR UPDATE OR DELETE ON invoice_lines
      FOR EACH ROW EXECUTE FUNCTION refuse_change_of_finalized_lines()
    `);
    await runner.query(`
      CREATE FUNCTION refuse_change_of_billing_documents() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% of % is refused.', TG_OP, TG_TABLE_NAME;
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER credit_notes_never_change BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_notes
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_billing_documents()
    `);
    for (const table of ['invoices', 'invoice_lines', 'document_numbers']) {
      await runner.query(`
        CREATE TRIGGER ${table}_never_truncated BEFORE TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_billing_documents()
      `);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'closed_periods',
      'closed_org_periods',
      'credit_notes',
      'document_numbers',
      'invoice_lines',
      'invoices',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
    for (const name of [
      'refuse_change_of_finalized_invoice',
      'refuse_change_of_finalized_lines',
      'refuse_change_of_billing_documents',
    ]) {
      await runner.query(`DROP FUNCTION ${name}`);
    }
  }
}
