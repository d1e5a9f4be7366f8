import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateGenerations1795292100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What a model did and what it cost. Prompts and answers are never kept here.
    await runner.query(`
      CREATE TABLE generations (
        id                 text        PRIMARY KEY CHECK (id LIKE 'gen_%'),
        org_id             text        NOT NULL REFERENCES organizations (id),
        user_id            text        NOT NULL REFERENCES users (id),
        key_id             text,
        project_id         text,
        protocol           text        NOT NULL,
        model              text        NOT NULL,
        router             text        NOT NULL,
        upstream_id        text,
        streamed           boolean     NOT NULL,
        outcome            text        NOT NULL,
        finish_reason      text,
        usage_source       text        NOT NULL,
        input_tokens       bigint      NOT NULL CHECK (input_tokens >= 0),
        output_tokens      bigint      NOT NULL CHECK (output_tokens >= 0),
        cache_read_tokens  bigint      NOT NULL CHECK (cache_read_tokens >= 0),
        cache_write_tokens bigint      NOT NULL CHECK (cache_write_tokens >= 0),
        cost_nano          bigint      NOT NULL CHECK (cost_nano >= 0),
        first_byte_ms      double precision,
        created_at         timestamptz NOT NULL,
        finished_at        timestamptz NOT NULL,
        CONSTRAINT generations_outcome CHECK (outcome IN ('succeeded', 'cancelled', 'failed', 'lost')),
        CONSTRAINT generations_usage_source CHECK (usage_source IN ('stream', 'router', 'counted', 'none'))
      )
    `);
    await runner.query('CREATE INDEX generations_by_org ON generations (org_id, id DESC)');
    await runner.query('CREATE INDEX generations_by_age ON generations (created_at)');
    // Generations that run: what is needed to settle them if their process is lost.
    await runner.query(`
      CREATE TABLE generation_starts (
        id           text        PRIMARY KEY CHECK (id LIKE 'gen_%'),
        org_id       text        NOT NULL REFERENCES organizations (id),
        user_id      text        NOT NULL,
        key_id       text,
        project_id   text,
        protocol     text        NOT NULL,
        model        text        NOT NULL,
        priced_kinds text[]      NOT NULL,
        router       text        NOT NULL,
        upstream_id  text,
        streamed     boolean     NOT NULL,
        created_at   timestamptz NOT NULL,
        gives_up_at  timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX generation_starts_overdue ON generation_starts (gives_up_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE generation_starts');
    await runner.query('DROP TABLE generations');
  }
}
