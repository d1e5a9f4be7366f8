import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateAgents1795292700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE agents (
        id             text        PRIMARY KEY CHECK (id LIKE 'agt_%'),
        org_id         text        NOT NULL REFERENCES organizations (id),
        name           text        NOT NULL,
        slug           text        NOT NULL,
        description    text,
        state          text        NOT NULL,
        paused_because text,
        live_version   int         NOT NULL,
        last_version   int         NOT NULL,
        created_at     timestamptz NOT NULL,
        updated_at     timestamptz NOT NULL,
        created_by     text        REFERENCES users (id),
        deleted_at     timestamptz,
        CONSTRAINT agents_state CHECK (state IN ('active', 'paused')),
        CONSTRAINT agents_paused_because CHECK (paused_because IN ('person', 'plan')),
        CONSTRAINT agents_paused_for_a_reason CHECK ((paused_because IS NOT NULL) = (state = 'paused')),
        CONSTRAINT agents_live_version CHECK (live_version BETWEEN 1 AND last_version)
      )
    `);
    await runner.query('CREATE UNIQUE INDEX agents_slug_unique ON agents (org_id, slug) WHERE deleted_at IS NULL');
    await runner.query('CREATE INDEX agents_by_org ON agents (org_id, id DESC) WHERE deleted_at IS NULL');
    // JSON keeps the order of keys, so that a version reads as it was written.
    await runner.query(`
      CREATE TABLE agent_versions (
        agent_id   text        NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        number     int         NOT NULL,
        org_id     text        NOT NULL,
        definition json        NOT NULL,
        created_at timestamptz NOT NULL,
        created_by text        REFERENCES users (id),
        PRIMARY KEY (agent_id, number)
      )
    `);
    await runner.query(`
      CREATE TABLE agent_secrets (
        agent_id   text        NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        name       text        NOT NULL,
        value      bytea       NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        updated_by text        REFERENCES users (id),
        PRIMARY KEY (agent_id, name)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['agent_secrets', 'agent_versions', 'agents']) await runner.query(`DROP TABLE ${table}`);
  }
}
