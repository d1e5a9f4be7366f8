import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: hooks are found by their secrets when these are reported as leaked. */
export class FindLeakedDeployHooks1795293500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX deploy_hooks_by_secret ON deploy_hooks (secret_hash)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX deploy_hooks_by_secret');
  }
}
