import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Expand only. The previous release moves a branch without its description, so a description names its commit and
 * counts for that one alone.
 */
export class DescribeBranches1795291600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE repository_branches
        ADD COLUMN pushed_at        timestamptz,
        ADD COLUMN described_commit text,
        ADD COLUMN committed_at     timestamptz,
        ADD COLUMN message          text,
        ADD CONSTRAINT repository_branches_message CHECK (length(message) <= 200)
    `);
    await runner.query(`
      CREATE INDEX repository_branches_pushed ON repository_branches (repository_id, pushed_at DESC)
        WHERE pushed_at IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX repository_branches_pushed');
    await runner.query(`
      ALTER TABLE repository_branches
        DROP CONSTRAINT repository_branches_message,
        DROP COLUMN pushed_at, DROP COLUMN described_commit, DROP COLUMN committed_at, DROP COLUMN message
    `);
  }
}
