import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release queues deploys of pushes without it, which pushers are then not shown. */
export class AddDeployPushedCommit1795290000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deploys ADD COLUMN pushed_commit text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deploys DROP COLUMN pushed_commit');
  }
}
