import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table and keeps working beside it. */
export class CreateModels1795292000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE models (
        id                   text        PRIMARY KEY CONSTRAINT models_id CHECK (id ~ '^[!-~]{1,180}$'),
        router               text        NOT NULL,
        upstream_id          text        NOT NULL,
        name                 text        NOT NULL,
        context_tokens       bigint,
        max_output_tokens    bigint,
        input_modalities     text[]      NOT NULL,
        output_modalities    text[]      NOT NULL,
        protocols            text[]      NOT NULL,
        upstream_prices_nano jsonb,
        refused_prices       text,
        expires_at           timestamptz,
        is_listed            boolean     NOT NULL,
        created_at           timestamptz NOT NULL,
        updated_at           timestamptz NOT NULL,
        CONSTRAINT models_refused_prices CHECK (refused_prices IN ('dynamic', 'free', 'tripled')),
        CONSTRAINT models_lengths CHECK (context_tokens >= 0 AND max_output_tokens >= 0)
      )
    `);
    // Found by the time of their last change, so that processes notice new models and prices.
    await runner.query('CREATE INDEX models_by_change ON models (updated_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE models');
  }
}
