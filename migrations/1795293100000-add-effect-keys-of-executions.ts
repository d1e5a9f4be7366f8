import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release writes executions without a key. */
export class AddEffectKeysOfExecutions1795293100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sandbox_executions
        ADD COLUMN effect_key text,
        ADD CONSTRAINT sandbox_executions_effect_key CHECK (length(effect_key) BETWEEN 1 AND 100)
    `);
    // The work of a run of an agent is done once, however often it is asked for.
    await runner.query(`
      CREATE UNIQUE INDEX sandbox_executions_by_effect
        ON sandbox_executions (org_id, effect_key) WHERE effect_key IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sandbox_executions DROP COLUMN effect_key');
  }
}
