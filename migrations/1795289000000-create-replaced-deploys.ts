import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table. What it replaces meanwhile is not remembered. */
export class CreateReplacedDeploys1795289000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE replaced_deploys (
        label       text        NOT NULL REFERENCES host_aliases (label) ON DELETE CASCADE,
        deploy_id   text        NOT NULL,
        replaced_at timestamptz NOT NULL,
        PRIMARY KEY (label, deploy_id)
      )
    `);
    await runner.query('CREATE INDEX replaced_deploys_deploy ON replaced_deploys (deploy_id)');
    await runner.query('CREATE INDEX replaced_deploys_age ON replaced_deploys (replaced_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE replaced_deploys');
  }
}
