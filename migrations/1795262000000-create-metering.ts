import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateMetering1795262000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE price_versions (
        id             text        PRIMARY KEY,
        meter          text        NOT NULL,
        model          text        NOT NULL,
        price_nano     bigint      NOT NULL,
        effective_from timestamptz NOT NULL,
        created_at     timestamptz NOT NULL,
        CONSTRAINT price_versions_meter
          CHECK (meter IN ('ai_tokens', 'sandbox_compute', 'database_storage', 'object_storage')),
        CONSTRAINT price_versions_model CHECK ((model <> '') = (meter = 'ai_tokens')),
        CONSTRAINT price_versions_price CHECK (price_nano >= 0),
        CONSTRAINT price_versions_one_at_a_time UNIQUE (meter, model, effective_from)
      )
    `);
    await runner.query(`
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% of % is refused: its rows never change', TG_OP, TG_TABLE_NAME;
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER price_versions_never_change BEFORE UPDATE OR DELETE ON price_versions
        FOR EACH ROW EXECUTE FUNCTION refuse_change()
    `);
    // By its id, which begins with its time: the primary key refuses what was recorded before, however long ago.
    // No foreign keys: what an event is counted in, usage_months, has them.
    await runner.query(`
      CREATE TABLE usage_events (
        id            uuid           NOT NULL,
        org_id        text           NOT NULL,
        project_id    text,
        meter         text           NOT NULL,
        model         text           NOT NULL,
        quantity      bigint         NOT NULL,
        price_version text           NOT NULL,
        cost_nano     numeric(38, 0) NOT NULL,
        occurred_at   timestamptz    NOT NULL,
        billed_at     timestamptz    NOT NULL,
        late          boolean        NOT NULL,
        source        text           NOT NULL,
        source_id     text           NOT NULL,
        properties    jsonb,
        CONSTRAINT usage_events_pkey PRIMARY KEY (id),
        CONSTRAINT usage_events_quantity CHECK (quantity >= 0),
        CONSTRAINT usage_events_late
          CHECK (late = (date_trunc('month', billed_at, 'UTC') <> date_trunc('month', occurred_at, 'UTC')))
      ) PARTITION BY RANGE (id)
    `);
    await runner.query('CREATE INDEX usage_events_by_org ON usage_events (org_id)');
    await runner.query('CREATE INDEX usage_events_late_by_org ON usage_events (org_id, billed_at) WHERE late');
    // What an organization has used of a meter at a price, in a month: rated as a whole, so that rounding adds up to
    // less than a nano-dollar however many events there were. With room in each page for rows that change, because then
    // their indexes need not.
    await runner.query(`
      CREATE TABLE usage_months (
        id            bigint         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id        text           NOT NULL REFERENCES organizations (id),
        month         date           NOT NULL,
        used_in       date           NOT NULL,
        meter         text           NOT NULL,
        model         text           NOT NULL,
        price_version text           NOT NULL REFERENCES price_versions (id),
        price_nano    bigint         NOT NULL,
        priced_per    bigint         NOT NULL,
        quantity      numeric(38, 0) NOT NULL DEFAULT 0,
        cost_nano     numeric(38, 0) NOT NULL DEFAULT 0,
        events        bigint         NOT NULL DEFAULT 0,
        closed        boolean        NOT NULL,
        CONSTRAINT usage_months_one UNIQUE (org_id, month, used_in, meter, model, price_version),
        CONSTRAINT usage_months_whole CHECK (extract(day FROM month) = 1 AND extract(day FROM used_in) = 1),
        CONSTRAINT usage_months_priced_per CHECK (priced_per > 0),
        CONSTRAINT usage_months_rated_as_a_whole CHECK (cost_nano = div(quantity * price_nano, priced_per))
      ) WITH (fillfactor = 50)
    `);
    await runner.query(`
      CREATE TABLE usage_hours (
        usage_month_id bigint         NOT NULL REFERENCES usage_months (id),
        hour           timestamptz    NOT NULL,
        project_id     text           NOT NULL,
        quantity       numeric(38, 0) NOT NULL,
        cost_nano      numeric(38, 0) NOT NULL,
        events         bigint         NOT NULL,
        PRIMARY KEY (usage_month_id, hour, project_id)
      ) WITH (fillfactor = 70)
    `);
    // A month that is closed for an organization: its bill does not change any more.
    await runner.query(`
      CREATE TABLE usage_closings (
        org_id    text        NOT NULL REFERENCES organizations (id),
        month     date        NOT NULL,
        closed_at timestamptz NOT NULL,
        PRIMARY KEY (org_id, month)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['usage_closings', 'usage_hours', 'usage_months', 'usage_events', 'price_versions'])
      await runner.query(`DROP TABLE ${table}`);
    await runner.query('DROP FUNCTION refuse_change');
  }
}
