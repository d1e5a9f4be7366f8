import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table. */
export class CreateAppMetrics1795280120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Columns d0 to d15 count the requests by duration. Columns are summed up faster than the elements of an array.
    const durations = Array.from({ length: 16 }, (_, place) => `d${place} int NOT NULL,`).join(' ');
    await runner.query(`
      CREATE TABLE app_metrics (
        project_id        text        NOT NULL,
        minute            timestamptz NOT NULL,
        deploy_id         text        NOT NULL,
        requests          int         NOT NULL,
        errors            int         NOT NULL,
        bytes             bigint      NOT NULL,
        restarts          int         NOT NULL,
        memory_peak_bytes bigint      NOT NULL,
        ${durations}
        PRIMARY KEY (project_id, minute, deploy_id)
      )
    `);
    await runner.query('CREATE INDEX app_metrics_by_minute ON app_metrics (minute)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE app_metrics');
  }
}
