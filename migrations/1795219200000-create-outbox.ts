import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: nothing else knows this table yet. */
export class CreateOutbox1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE outbox_messages (
        id          text        PRIMARY KEY CONSTRAINT outbox_messages_id_form CHECK (id LIKE 'out\\_%'),
        queue       text        NOT NULL CONSTRAINT outbox_messages_queue_form CHECK (queue ~ '^[a-z][a-z-]*$'),
        envelope    jsonb       NOT NULL,
        attempts    int         NOT NULL CONSTRAINT outbox_messages_attempts_positive CHECK (attempts > 0),
        backoff_ms  int         NOT NULL CONSTRAINT outbox_messages_backoff_not_negative CHECK (backoff_ms >= 0),
        created_at  timestamptz NOT NULL
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox_messages');
  }
}
