import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateDeploys1795259000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The job of a deploy is named for it, so that whoever cancels the deploy can end the job.
    await runner.query('ALTER TABLE outbox_messages ADD COLUMN job_id text');
    await runner.query(`
      CREATE TABLE deploys (
        id               text        PRIMARY KEY CHECK (id LIKE 'dpl_%'),
        org_id           text        NOT NULL REFERENCES organizations (id),
        project_id       text        NOT NULL REFERENCES projects (id),
        branch           text        NOT NULL,
        type             text        NOT NULL,
        state            text        NOT NULL,
        attempt          int         NOT NULL,
        losses           int         NOT NULL,
        trigger          text        NOT NULL,
        force            boolean     NOT NULL,
        ref              text        NOT NULL,
        repo_url         text        NOT NULL,
        settings         jsonb       NOT NULL,
        requested_by     text        REFERENCES users (id),
        commit_sha       text,
        commit_message   text,
        commit_author    text,
        error_code       text,
        error_message    text,
        output           jsonb,
        same_as          text        REFERENCES deploys (id),
        phase_ms         json        NOT NULL,
        admitted_at      timestamptz,
        lease_until      timestamptz,
        worker_id        text,
        created_at       timestamptz NOT NULL,
        initializing_at  timestamptz,
        building_at      timestamptz,
        deploying_at     timestamptz,
        ready_at         timestamptz,
        finished_at      timestamptz,
        went_live_at     timestamptz,
        files_removed_at timestamptz,
        CONSTRAINT deploys_type CHECK (type IN ('preview', 'production')),
        CONSTRAINT deploys_trigger CHECK (trigger IN ('api', 'push')),
        CONSTRAINT deploys_state
          CHECK (state IN ('queued', 'initializing', 'building', 'deploying', 'ready', 'error', 'canceled', 'skipped')),
        CONSTRAINT deploys_branch_length CHECK (octet_length(branch) BETWEEN 1 AND 255),
        CONSTRAINT deploys_finished_when_over
          CHECK ((finished_at IS NOT NULL) = (state IN ('ready', 'error', 'canceled', 'skipped'))),
        CONSTRAINT deploys_ready_when_ready CHECK ((ready_at IS NOT NULL) = (state = 'ready')),
        CONSTRAINT deploys_error_has_code
          CHECK ((error_code IS NOT NULL) = (state = 'error') AND (error_message IS NOT NULL) = (state = 'error')),
        CONSTRAINT deploys_leased_when_at_work
          CHECK ((lease_until IS NOT NULL) = (state IN ('initializing', 'building', 'deploying'))),
        CONSTRAINT deploys_admitted_when_at_work
          CHECK (admitted_at IS NOT NULL OR state NOT IN ('initializing', 'building', 'deploying'))
      )
    `);
    await runner.query('CREATE INDEX deploys_by_project ON deploys (project_id, id DESC)');
    // At most one at work, or about to be, for a project, target and branch.
    await runner.query(`
      CREATE UNIQUE INDEX deploys_one_at_work ON deploys (project_id, type, branch)
        WHERE admitted_at IS NOT NULL AND state IN ('queued', 'initializing', 'building', 'deploying')`);
    await runner.query(
      `CREATE INDEX deploys_going_on ON deploys (org_id, id)
        WHERE state IN ('queued', 'initializing', 'building', 'deploying')`,
    );
    await runner.query(`CREATE INDEX deploys_by_commit ON deploys (project_id, commit_sha) WHERE state = 'ready'`);
    // Values are sealed as those of project_env are, by the same key and for the same place.
    await runner.query(`
      CREATE TABLE deploy_environments (
        deploy_id text  PRIMARY KEY REFERENCES deploys (id) ON DELETE CASCADE,
        variables jsonb NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE deploy_events (
        id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        deploy_id  text        NOT NULL REFERENCES deploys (id) ON DELETE CASCADE,
        at         timestamptz NOT NULL,
        attempt    int         NOT NULL,
        kind       text        NOT NULL,
        from_state text,
        to_state   text,
        details    jsonb       NOT NULL
      )
    `);
    await runner.query('CREATE INDEX deploy_events_by_deploy ON deploy_events (deploy_id, id)');
    await runner.query(`
      CREATE TABLE deploy_log_lines (
        deploy_id text        NOT NULL REFERENCES deploys (id) ON DELETE CASCADE,
        seq       int         NOT NULL,
        at        timestamptz NOT NULL,
        phase     text        NOT NULL,
        stream    text        NOT NULL,
        text      text        NOT NULL,
        PRIMARY KEY (deploy_id, seq),
        CONSTRAINT deploy_log_lines_stream CHECK (stream IN ('stdout', 'stderr', 'system'))
      )
    `);
    // A rollback keeps production where it is until the next promote.
    await runner.query(`
      CREATE TABLE deploy_pins (
        project_id text        PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
        deploy_id  text        NOT NULL REFERENCES deploys (id),
        pinned_at  timestamptz NOT NULL
      )
    `);
    // The processes that deploy, with what each can do at once. One that is not heard of any more counts for nothing.
    await runner.query(`
      CREATE TABLE deploy_workers (
        id      text        PRIMARY KEY,
        slots   int         NOT NULL,
        seen_at timestamptz NOT NULL
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'deploy_workers',
      'deploy_pins',
      'deploy_log_lines',
      'deploy_events',
      'deploy_environments',
      'deploys',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await runner.query('ALTER TABLE outbox_messages DROP COLUMN job_id');
  }
}
