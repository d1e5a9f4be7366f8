import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateCredits1795263000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Its row is what every change of an organization's money locks first. It changes with each, so that its page has
    // room for new versions of it.
    await runner.query(`
      CREATE TABLE credit_accounts (
        org_id      text        PRIMARY KEY REFERENCES organizations (id),
        posted_nano bigint      NOT NULL,
        held_nano   bigint      NOT NULL,
        opened_at   timestamptz NOT NULL,
        CONSTRAINT credit_accounts_held CHECK (held_nano >= 0),
        CONSTRAINT credit_accounts_never_overspent CHECK (posted_nano - held_nano >= 0)
      ) WITH (fillfactor = 50)
    `);
    await runner.query(`
      CREATE TABLE credit_grants (
        id             text        PRIMARY KEY CHECK (id LIKE 'crg_%'),
        org_id         text        NOT NULL REFERENCES credit_accounts (org_id),
        amount_nano    bigint      NOT NULL CHECK (amount_nano > 0),
        remaining_nano bigint      NOT NULL,
        held_nano      bigint      NOT NULL,
        priority       integer     NOT NULL,
        expires_at     timestamptz,
        applies_to     text[],
        reason         text        NOT NULL,
        key            text        NOT NULL CONSTRAINT credit_grants_key UNIQUE,
        granted_by     text        NOT NULL,
        created_at     timestamptz NOT NULL,
        CONSTRAINT credit_grants_held CHECK (held_nano >= 0),
        CONSTRAINT credit_grants_never_overspent CHECK (remaining_nano - held_nano >= 0),
        CONSTRAINT credit_grants_remaining CHECK (remaining_nano BETWEEN 0 AND amount_nano)
      ) WITH (fillfactor = 50)
    `);
    await runner.query('CREATE INDEX credit_grants_by_org ON credit_grants (org_id)');
    await runner.query(
      'CREATE INDEX credit_grants_expiring ON credit_grants (expires_at) WHERE expires_at IS NOT NULL',
    );
    // Usage beyond the credits, by the UTC month in which its work began.
    await runner.query(`
      CREATE TABLE billed_months (
        org_id      text   NOT NULL REFERENCES credit_accounts (org_id),
        month       date   NOT NULL CHECK (extract(day FROM month) = 1),
        posted_nano bigint NOT NULL CHECK (posted_nano >= 0),
        held_nano   bigint NOT NULL CHECK (held_nano >= 0),
        PRIMARY KEY (org_id, month)
      ) WITH (fillfactor = 50)
    `);
    await runner.query(`
      CREATE TABLE spend_caps (
        org_id     text        PRIMARY KEY REFERENCES credit_accounts (org_id),
        cap_nano   bigint      CHECK (cap_nano >= 0),
        updated_at timestamptz NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE spend_warnings (
        org_id      text        NOT NULL REFERENCES credit_accounts (org_id),
        month       date        NOT NULL,
        level       smallint    NOT NULL CHECK (level IN (50, 80, 100)),
        billed_nano bigint      NOT NULL,
        cap_nano    bigint      NOT NULL,
        warned_at   timestamptz NOT NULL,
        PRIMARY KEY (org_id, month, level)
      )
    `);
    // Written under the lock of the account alone, by the hundred: to look the account up again for each would take a
    // fifth of the time.
    await runner.query(`
      CREATE TABLE holds (
        key           text        PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 200),
        org_id        text        NOT NULL,
        meter         text        NOT NULL,
        model         text,
        amount_nano   bigint      NOT NULL CHECK (amount_nano >= 0),
        state         text        NOT NULL CONSTRAINT holds_state
          CHECK (state IN ('held', 'settled', 'released', 'expired')),
        -- While it is held, what it holds; once it is settled, what was paid.
        credit_nano   bigint      NOT NULL CHECK (credit_nano >= 0),
        billed_nano   bigint      NOT NULL CHECK (billed_nano >= 0),
        -- Of which grants the credits are: [{"grant": "crg_…", "nano": "1"}].
        parts         jsonb       NOT NULL,
        month         date        NOT NULL,
        begun_at      timestamptz NOT NULL,
        expires_at    timestamptz NOT NULL,
        ended_at      timestamptz,
        cost_nano     bigint,
        lost_nano     bigint,
        refunded_nano bigint      NOT NULL DEFAULT 0 CHECK (refunded_nano >= 0),
        occurred_at   timestamptz,
        CONSTRAINT holds_end CHECK ((state = 'held') = (ended_at IS NULL)),
        CONSTRAINT holds_cost
          CHECK ((cost_nano IS NULL) = (lost_nano IS NULL) AND (cost_nano IS NULL) = (occurred_at IS NULL)
          AND (state <> 'settled' OR cost_nano IS NOT NULL) AND (state <> 'held' OR cost_nano IS NULL)),
        CONSTRAINT holds_sum CHECK (CASE
          WHEN state = 'held' THEN credit_nano + billed_nano = amount_nano
          WHEN cost_nano IS NULL THEN credit_nano + billed_nano = 0
          ELSE credit_nano + billed_nano + lost_nano + refunded_nano = cost_nano
            AND credit_nano + billed_nano + refunded_nano <= amount_nano
        END)
      ) WITH (fillfactor = 80)
    `);
    await runner.query("CREATE INDEX holds_open ON holds (expires_at) WHERE state = 'held'");
    await runner.query('CREATE INDEX holds_by_use ON holds (org_id, occurred_at) WHERE cost_nano IS NOT NULL');
    // Whoever writes here holds the account, and must not wait for the row of the organization, which others lock
    // before it.
    await runner.query(`
      CREATE TABLE ledger_transactions (
        key     text        PRIMARY KEY,
        kind    text        NOT NULL,
        org_id  text,
        details jsonb       NOT NULL,
        at      timestamptz NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE ledger_entries (
        transaction_key text     NOT NULL CONSTRAINT ledger_entries_transaction REFERENCES ledger_transactions (key),
        position        smallint NOT NULL,
        account         text     NOT NULL CONSTRAINT ledger_entries_account
          CHECK (account IN ('credits', 'usage_receivable', 'invoiced', 'cash', 'revenue', 'promotion',
            'platform_loss', 'rounding')),
        org_id          text,
        amount_nano     bigint   NOT NULL CHECK (amount_nano <> 0),
        PRIMARY KEY (transaction_key, position)
      )
    `);
    await runner.query('CREATE INDEX ledger_entries_by_org ON ledger_entries (org_id, account)');
    await runner.query(`
      CREATE FUNCTION require_balanced_ledger_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT sum(amount_nano) FROM ledger_entries WHERE transaction_key = NEW.transaction_key) <> 0 THEN
          RAISE EXCEPTION 'The entries of the ledger transaction % do not sum to zero.', NEW.transaction_key
            USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$
    `);
    await runner.query(`
      CREATE CONSTRAINT TRIGGER ledger_transactions_balance AFTER INSERT ON ledger_entries
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_balanced_ledger_transaction()
    `);
    await runner.query(`
      CREATE FUNCTION refuse_change_of_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'The ledger is append-only.';
      END $$
    `);
    for (const table of ['ledger_transactions', 'ledger_entries']) {
      await runner.query(`
        CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_ledger()
      `);
    }
    // What a run cost; null where it was not metered.
    await runner.query('ALTER TABLE sandbox_executions ADD COLUMN cost_nano bigint CHECK (cost_nano >= 0)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sandbox_executions DROP COLUMN cost_nano');
    for (const table of [
      'ledger_entries',
      'ledger_transactions',
      'holds',
      'spend_warnings',
      'spend_caps',
      'billed_months',
      'credit_grants',
      'credit_accounts',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await runner.query('DROP FUNCTION require_balanced_ledger_transaction');
    await runner.query('DROP FUNCTION refuse_change_of_ledger');
  }
}
