import type { MigrationInterface, QueryRunner } from 'typeorm';

const PURPOSES = "'verify_email', 'reset_password'";

/** Expand only. The previous release neither begins such a change nor creates tokens for one. */
export class CreateEmailChanges1795293490000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE email_changes (
        id           text        PRIMARY KEY CHECK (id LIKE 'emc_%'),
        user_id      text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        session_id   text        NOT NULL,
        ip           text        NOT NULL,
        old_email    text        NOT NULL CHECK (length(old_email) <= 254),
        new_email    text        NOT NULL CHECK (length(new_email) <= 254),
        requested_at timestamptz NOT NULL,
        waived_at    timestamptz NOT NULL,
        expires_at   timestamptz NOT NULL,
        proven_at    timestamptz,
        approved_at  timestamptz,
        reminded_at  timestamptz,
        ended_at     timestamptz,
        outcome      text        CHECK (outcome IN ('changed', 'cancelled', 'address_taken')),
        CONSTRAINT email_changes_another_address CHECK (lower(old_email) <> lower(new_email)),
        CONSTRAINT email_changes_outcome_when_ended CHECK ((ended_at IS NULL) = (outcome IS NULL)),
        CONSTRAINT email_changes_proven_when_changed CHECK (outcome <> 'changed' OR proven_at IS NOT NULL)
      )
    `);
    await runner.query('CREATE UNIQUE INDEX email_changes_pending ON email_changes (user_id) WHERE ended_at IS NULL');
    await runner.query(`
      CREATE INDEX email_changes_waiting ON email_changes (waived_at)
        WHERE ended_at IS NULL AND proven_at IS NOT NULL
    `);
    await runner.query('CREATE INDEX email_changes_over ON email_changes (coalesce(ended_at, expires_at))');
    await allowPurposes(runner, `${PURPOSES}, 'prove_email', 'approve_email'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE email_changes');
    await runner.query("DELETE FROM email_tokens WHERE purpose IN ('prove_email', 'approve_email')");
    await allowPurposes(runner, PURPOSES);
  }
}

async function allowPurposes(runner: QueryRunner, purposes: string): Promise<void> {
  await runner.query('ALTER TABLE email_tokens DROP CONSTRAINT email_tokens_purpose_check');
  await runner.query(
    `ALTER TABLE email_tokens ADD CONSTRAINT email_tokens_purpose_check CHECK (purpose IN (${purposes}))`,
  );
}
