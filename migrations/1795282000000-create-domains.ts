import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateDomains1795282000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A name may have pending claims of several organizations, but only one that has been proved.
    await runner.query(`
      CREATE TABLE domains (
        id              text        PRIMARY KEY CHECK (id LIKE 'dom_%'),
        org_id          text        NOT NULL,
        project_id      text        NOT NULL,
        name            text        NOT NULL,
        challenge_token text        NOT NULL,
        state           text        NOT NULL,
        redirect_to     text,
        https_redirect  boolean     NOT NULL,
        hsts            boolean     NOT NULL,
        problem         text,
        seen            jsonb,
        failed_checks   int         NOT NULL,
        failing_since   timestamptz,
        created_at      timestamptz NOT NULL,
        verified_at     timestamptz,
        active_at       timestamptz,
        checked_at      timestamptz,
        next_check_at   timestamptz,
        CONSTRAINT domains_name_form
          CHECK (name ~ '^([*][.])?([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])+[a-z0-9-]+$' AND length(name) <= 253),
        CONSTRAINT domains_state CHECK (state IN ('pending', 'verified', 'active', 'misconfigured')),
        CONSTRAINT domains_proved CHECK ((verified_at IS NULL) = (state = 'pending')),
        CONSTRAINT domains_active CHECK (state <> 'active' OR active_at IS NOT NULL)
      )
    `);
    await runner.query(`CREATE UNIQUE INDEX domains_held_once ON domains (name) WHERE state <> 'pending'`);
    await runner.query('CREATE UNIQUE INDEX domains_claimed_once ON domains (org_id, name)');
    await runner.query('CREATE INDEX domains_by_name ON domains (name)');
    await runner.query('CREATE INDEX domains_by_project ON domains (project_id, id DESC)');
    await runner.query('CREATE INDEX domains_due ON domains (next_check_at) WHERE next_check_at IS NOT NULL');
    // The names below wildcards that may have certificates: anybody can ask for a new one with a new name.
    await runner.query(`
      CREATE TABLE wildcard_host_names (
        domain_id   text        NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
        name        text        NOT NULL,
        created_at  timestamptz NOT NULL,
        PRIMARY KEY (domain_id, name)
      )
    `);
    // No reference to projects, as for host_aliases: a host is released by the module that pointed it.
    await runner.query(`
      CREATE TABLE custom_hosts (
        name            text        PRIMARY KEY,
        project_id      text        NOT NULL,
        org_id          text        NOT NULL,
        redirect_to     text,
        https_redirect  boolean     NOT NULL,
        hsts            boolean     NOT NULL,
        updated_at      timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX custom_hosts_by_project ON custom_hosts (project_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE custom_hosts');
    await runner.query('DROP TABLE wildcard_host_names');
    await runner.query('DROP TABLE domains');
  }
}
