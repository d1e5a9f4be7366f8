import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table and keeps working beside it. */
export class CreateOrgDomains1795299000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A name may have pending claims of several organizations, but only one that has been proved.
    await runner.query(`
      CREATE TABLE sso_domains (
        id              text        PRIMARY KEY CHECK (id LIKE 'odom_%'),
        org_id          text        NOT NULL REFERENCES organizations (id),
        name            text        NOT NULL,
        challenge_token text        NOT NULL,
        status          text        NOT NULL,
        misses          int         NOT NULL,
        last_problem    text,
        created_at      timestamptz NOT NULL,
        verified_at     timestamptz,
        checked_at      timestamptz,
        next_check_at   timestamptz,
        CONSTRAINT sso_domains_name_form
          CHECK (name ~ '^([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])+[a-z0-9-]+$' AND length(name) <= 253),
        CONSTRAINT sso_domains_status CHECK (status IN ('pending', 'verified', 'paused')),
        CONSTRAINT sso_domains_last_problem
          CHECK (last_problem IN ('challenge_missing', 'resolver_unavailable', 'taken_over')),
        CONSTRAINT sso_domains_proved CHECK ((verified_at IS NULL) = (status = 'pending')),
        CONSTRAINT sso_domains_checked_again CHECK ((next_check_at IS NULL) = (status = 'pending')),
        CONSTRAINT sso_domains_misses CHECK (misses BETWEEN 0 AND 2 AND (misses = 2) = (status = 'paused'))
      )
    `);
    await runner.query(`CREATE UNIQUE INDEX sso_domains_held_once ON sso_domains (name) WHERE status <> 'pending'`);
    await runner.query('CREATE UNIQUE INDEX sso_domains_claimed_once ON sso_domains (org_id, name)');
    await runner.query('CREATE INDEX sso_domains_by_name ON sso_domains (name)');
    await runner.query('CREATE INDEX sso_domains_due ON sso_domains (next_check_at) WHERE next_check_at IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sso_domains');
  }
}
