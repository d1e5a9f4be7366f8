import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateHosting1795258000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No reference to projects or deploys: what is hosted is removed when nothing names it any more, and not before.
    await runner.query(`
      CREATE TABLE hosted_deploys (
        deploy_id   text        PRIMARY KEY,
        project_id  text        NOT NULL,
        org_id      text        NOT NULL,
        kind        text        NOT NULL CHECK (kind IN ('static', 'server')),
        manifest    text        NOT NULL,
        files       int         NOT NULL,
        bytes       bigint      NOT NULL,
        created_at  timestamptz NOT NULL,
        CONSTRAINT hosted_deploys_manifest_form CHECK (manifest ~ '^[0-9a-f]{64}$')
      )
    `);
    await runner.query(`
      CREATE TABLE host_aliases (
        label       text        PRIMARY KEY,
        deploy_id   text        NOT NULL,
        project_id  text        NOT NULL,
        org_id      text        NOT NULL,
        kind        text        NOT NULL CHECK (kind IN ('deploy', 'branch', 'production')),
        updated_at  timestamptz NOT NULL,
        CONSTRAINT host_aliases_label_form CHECK (label ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' AND length(label) <= 63)
      )
    `);
    await runner.query('CREATE INDEX host_aliases_by_project ON host_aliases (project_id)');
    await runner.query('CREATE INDEX host_aliases_by_deploy ON host_aliases (deploy_id)');
    // What servers of deploys print; only the last lines of each deploy are kept.
    await runner.query(`
      CREATE TABLE app_log_lines (
        deploy_id   text        NOT NULL,
        seq         bigint      GENERATED ALWAYS AS IDENTITY,
        at          timestamptz NOT NULL,
        stream      text        NOT NULL CHECK (stream IN ('stdout', 'stderr', 'system')),
        text        text        NOT NULL,
        PRIMARY KEY (deploy_id, seq)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE app_log_lines');
    await runner.query('DROP TABLE host_aliases');
    await runner.query('DROP TABLE hosted_deploys');
  }
}
