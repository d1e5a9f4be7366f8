import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreateSubscriptions1795264000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The plan that an organization has is in `organizations`, where every call reads it; this says since when it pays
    // for it, and what is to come.
    await runner.query(`
      CREATE TABLE subscriptions (
        org_id       text        PRIMARY KEY REFERENCES organizations (id),
        plan         text        NOT NULL,
        price_nano   bigint      NOT NULL,
        since        timestamptz NOT NULL,
        next_plan    text,
        next_plan_at timestamptz,
        updated_at   timestamptz NOT NULL,
        CONSTRAINT subscriptions_plan CHECK (plan IN ('free', 'builder', 'pro', 'enterprise')),
        CONSTRAINT subscriptions_next_plan CHECK (next_plan IN ('free', 'builder', 'pro') AND next_plan <> plan),
        CONSTRAINT subscriptions_price CHECK (price_nano >= 0),
        CONSTRAINT subscriptions_next_plan_has_time CHECK ((next_plan IS NULL) = (next_plan_at IS NULL))
      )
    `);
    await runner.query(
      'CREATE INDEX subscriptions_with_plans_to_come ON subscriptions (next_plan_at) WHERE next_plan_at IS NOT NULL',
    );
    // What a month costs is worked out of these, so that they are never changed: the price is the one that held then.
    await runner.query(`
      CREATE TABLE plan_changes (
        id           text        PRIMARY KEY CHECK (id LIKE 'plc_%'),
        org_id       text        NOT NULL REFERENCES organizations (id),
        from_plan    text        NOT NULL,
        to_plan      text        NOT NULL,
        price_nano   bigint      NOT NULL,
        effective_at timestamptz NOT NULL,
        made_at      timestamptz NOT NULL,
        -- Of those that take effect in one second the last counts; they are made one after the other.
        seq          bigint      GENERATED ALWAYS AS IDENTITY,
        CONSTRAINT plan_changes_price CHECK (price_nano >= 0),
        CONSTRAINT plan_changes_whole_second CHECK (date_trunc('second', effective_at) = effective_at)
      )
    `);
    await runner.query('CREATE INDEX plan_changes_by_org ON plan_changes (org_id, effective_at, seq)');
    await runner.query(`
      CREATE FUNCTION refuse_change_of_plan_changes() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'Changes of plans are append-only.';
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER plan_changes_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON plan_changes
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_plan_changes()
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE plan_changes');
    await runner.query('DROP FUNCTION refuse_change_of_plan_changes');
    await runner.query('DROP TABLE subscriptions');
  }
}
