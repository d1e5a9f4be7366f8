import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateDatabases1795293200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE database_hosts (
        id                 text        PRIMARY KEY CHECK (id LIKE 'dbh_%'),
        address            text        NOT NULL,
        certificate_sha256 text        NOT NULL,
        engine             text        NOT NULL CHECK (engine IN ('own', 'server')),
        postgres_version   text        NOT NULL,
        unavailable        text,
        seen_at            timestamptz NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE databases (
        id                text        PRIMARY KEY CHECK (id LIKE 'db_%'),
        org_id            text        NOT NULL REFERENCES organizations (id),
        project_id        text        REFERENCES projects (id),
        name              text        NOT NULL,
        label             text        NOT NULL UNIQUE,
        engine            text        NOT NULL CHECK (engine IN ('own', 'server')),
        cluster_id        text        NOT NULL CHECK (cluster_id LIKE 'clu_%'),
        host_id           text        NOT NULL,
        parent_id         text        REFERENCES databases (id),
        state             text        NOT NULL,
        error_code        text,
        error_message     text,
        read_only_because text        CHECK (read_only_because IN ('quota', 'credits')),
        activity          text        NOT NULL,
        connections       int         NOT NULL CHECK (connections >= 0),
        last_active_at    timestamptz,
        size_bytes        bigint      NOT NULL CHECK (size_bytes >= 0),
        empty_bytes       bigint      NOT NULL CHECK (empty_bytes >= 0),
        measured_at       timestamptz,
        created_by        text        NOT NULL REFERENCES users (id),
        created_at        timestamptz NOT NULL,
        updated_at        timestamptz NOT NULL,
        deleted_at        timestamptz,
        CONSTRAINT databases_state CHECK (state IN ('creating', 'restoring', 'ready', 'failed', 'deleting', 'deleted')),
        CONSTRAINT databases_activity CHECK (activity IN ('active', 'idle', 'frozen', 'asleep')),
        CONSTRAINT databases_error CHECK ((error_code IS NOT NULL) = (state = 'failed')),
        CONSTRAINT databases_deleted CHECK ((deleted_at IS NOT NULL) = (state IN ('deleting', 'deleted')))
      )
    `);
    // Deferred, because a swap exchanges the data of two databases.
    await runner.query(
      'ALTER TABLE databases ADD CONSTRAINT databases_cluster UNIQUE (cluster_id) DEFERRABLE INITIALLY DEFERRED',
    );
    await runner.query('CREATE INDEX databases_by_org ON databases (org_id, id)');
    await runner.query('CREATE UNIQUE INDEX databases_name ON databases (org_id, name) WHERE deleted_at IS NULL');
    await runner.query('CREATE INDEX databases_by_project ON databases (project_id) WHERE project_id IS NOT NULL');
    await runner.query('CREATE INDEX databases_by_parent ON databases (parent_id) WHERE parent_id IS NOT NULL');
    await runner.query('CREATE INDEX databases_by_host ON databases (host_id, id)');
    await runner.query(`
      CREATE TABLE database_operations (
        id            text        PRIMARY KEY CHECK (id LIKE 'dbo_%'),
        database_id   text        NOT NULL REFERENCES databases (id),
        host_id       text        NOT NULL,
        kind          text        NOT NULL,
        step          int         NOT NULL CHECK (step >= 0),
        state         text        NOT NULL CHECK (state IN ('pending', 'running', 'done', 'failed')),
        input         jsonb       NOT NULL,
        attempts      int         NOT NULL CHECK (attempts >= 0),
        next_at       timestamptz NOT NULL,
        worker_id     text,
        lease_until   timestamptz,
        error_code    text,
        error_message text,
        created_at    timestamptz NOT NULL,
        finished_at   timestamptz,
        CONSTRAINT database_operations_lease CHECK ((lease_until IS NOT NULL) = (state = 'running')),
        CONSTRAINT database_operations_end CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'failed')))
      )
    `);
    await runner.query(`
      CREATE INDEX database_operations_due ON database_operations (host_id, next_at, id)
      WHERE state IN ('pending', 'running')
    `);
    // One operation at a time changes a database.
    await runner.query(`
      CREATE UNIQUE INDEX database_operations_one ON database_operations (database_id)
      WHERE state IN ('pending', 'running')
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE database_operations');
    await runner.query('DROP TABLE databases');
    await runner.query('DROP TABLE database_hosts');
  }
}
