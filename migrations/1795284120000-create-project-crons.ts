import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateProjectCrons1795284120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE project_crons (
        id         text        PRIMARY KEY CHECK (id LIKE 'cron_%'),
        org_id     text        NOT NULL REFERENCES organizations (id),
        project_id text        NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        source     text        NOT NULL CHECK (source IN ('api', 'file')),
        path       text        NOT NULL,
        schedule   text        NOT NULL,
        time_zone  text        NOT NULL,
        enabled    boolean     NOT NULL,
        next_at    timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX project_crons_by_project ON project_crons (project_id, id)');
    await runner.query('CREATE INDEX project_crons_due ON project_crons (next_at) WHERE enabled');
    await runner.query(`
      CREATE TABLE cron_runs (
        id            text        PRIMARY KEY CHECK (id LIKE 'crun_%'),
        cron_id       text        NOT NULL REFERENCES project_crons (id) ON DELETE CASCADE,
        org_id        text        NOT NULL,
        scheduled_for timestamptz NOT NULL,
        started_at    timestamptz NOT NULL,
        finished_at   timestamptz,
        outcome       text        NOT NULL,
        status        int,
        CONSTRAINT cron_runs_outcome CHECK (outcome IN
          ('running', 'succeeded', 'failed', 'timed_out', 'overlapped', 'missed', 'no_production', 'lost')),
        CONSTRAINT cron_runs_finished_when_over CHECK ((finished_at IS NULL) = (outcome = 'running'))
      )
    `);
    await runner.query('CREATE INDEX cron_runs_by_cron ON cron_runs (cron_id, id DESC)');
    // A cron never runs twice at once.
    await runner.query("CREATE UNIQUE INDEX cron_runs_one_running ON cron_runs (cron_id) WHERE outcome = 'running'");
    await runner.query("CREATE INDEX cron_runs_running_by_org ON cron_runs (org_id) WHERE outcome = 'running'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE cron_runs');
    await runner.query('DROP TABLE project_crons');
  }
}
