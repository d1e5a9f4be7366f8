import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateWebhooks1795291200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_endpoints (
        id              text        PRIMARY KEY CHECK (id LIKE 'whe_%'),
        org_id          text        NOT NULL REFERENCES organizations (id),
        url             text        NOT NULL,
        description     text        NOT NULL,
        types           text[]      NOT NULL,
        state           text        NOT NULL,
        pause_reason    text,
        secret          bytea       NOT NULL,
        previous_secret bytea,
        previous_until  timestamptz,
        failing_since   timestamptz,
        created_by      text        NOT NULL REFERENCES users (id),
        created_at      timestamptz NOT NULL,
        updated_at      timestamptz NOT NULL,
        CONSTRAINT webhook_endpoints_state CHECK (state IN ('active', 'paused')),
        CONSTRAINT webhook_endpoints_pause_reason CHECK ((pause_reason IS NOT NULL) = (state = 'paused')),
        CONSTRAINT webhook_endpoints_previous CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
      )
    `);
    await runner.query('CREATE INDEX webhook_endpoints_by_org ON webhook_endpoints (org_id, id)');
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        id            text        PRIMARY KEY CHECK (id LIKE 'whd_%'),
        endpoint_id   text        NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
        org_id        text        NOT NULL,
        event_id      text        NOT NULL,
        type          text        NOT NULL,
        body          text        NOT NULL,
        state         text        NOT NULL,
        attempts      int         NOT NULL,
        next_at       timestamptz NOT NULL,
        sending_until timestamptz,
        replay_of     text,
        status        int,
        error         text,
        excerpt       text,
        duration_ms   int,
        created_at    timestamptz NOT NULL,
        last_at       timestamptz,
        CONSTRAINT webhook_deliveries_state CHECK (state IN ('pending', 'succeeded', 'failed'))
      )
    `);
    await runner.query('CREATE INDEX webhook_deliveries_log ON webhook_deliveries (endpoint_id, id)');
    await runner.query(`
      CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (endpoint_id, event_id) WHERE replay_of IS NULL
    `);
    await runner.query(`
      CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at, id) WHERE state = 'pending'
    `);
    await runner.query(`
      CREATE INDEX webhook_deliveries_sending ON webhook_deliveries (sending_until) WHERE sending_until IS NOT NULL
    `);
    await runner.query('CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['webhook_deliveries', 'webhook_endpoints']) await runner.query(`DROP TABLE ${table}`);
  }
}
