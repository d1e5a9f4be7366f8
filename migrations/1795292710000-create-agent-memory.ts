import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateAgentMemory1795292710000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Similar words are found with it. A database that does not offer it, or whose user may not create it, is searched
    // by full text alone.
    await runner.query(`
      DO $$ BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
      EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        RAISE NOTICE 'pg_trgm is not available';
      END $$
    `);
    await runner.query(`
      CREATE TABLE agent_blocks (
        agent_id   text        NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        label      text        NOT NULL,
        value      text        NOT NULL,
        version    int         NOT NULL,
        run_id     text,
        tainted    boolean     NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (agent_id, label)
      )
    `);
    await runner.query(`
      CREATE TABLE agent_memories (
        id         text        PRIMARY KEY CHECK (id LIKE 'mem_%'),
        agent_id   text        NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        text       text        NOT NULL,
        tags       text[]      NOT NULL,
        run_id     text,
        tainted    boolean     NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        search     tsvector    NOT NULL GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED
      )
    `);
    await runner.query('CREATE INDEX agent_memories_by_agent ON agent_memories (agent_id, id DESC)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['agent_memories', 'agent_blocks']) await runner.query(`DROP TABLE ${table}`);
  }
}
