import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. */
export class CreateSchedules1795293000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE schedules (
        id                text        PRIMARY KEY CHECK (id LIKE 'sch_%'),
        org_id            text        NOT NULL REFERENCES organizations (id),
        agent_id          text        NOT NULL,
        name              text        NOT NULL,
        cron              text,
        every_seconds     int         CHECK (every_seconds >= 60),
        at                timestamptz,
        anchor_at         timestamptz NOT NULL,
        time_zone         text        NOT NULL,
        input             jsonb       NOT NULL,
        budget            jsonb,
        overlap           text        NOT NULL,
        catch_up          text        NOT NULL,
        catch_up_seconds  int         NOT NULL CHECK (catch_up_seconds BETWEEN 60 AND 86400),
        jitter_seconds    int         NOT NULL CHECK (jitter_seconds BETWEEN 0 AND 3600),
        state             text        NOT NULL,
        paused_because    text,
        next_at           timestamptz,
        then_at           timestamptz,
        wake_at           timestamptz,
        active_run_id     text,
        buffered_fire_id  text,
        failures_in_a_row int         NOT NULL,
        created_by        text        NOT NULL REFERENCES users (id),
        created_key_id    text,
        created_at        timestamptz NOT NULL,
        updated_at        timestamptz NOT NULL,
        CONSTRAINT schedules_one_timing CHECK (num_nonnulls(cron, every_seconds, at) = 1),
        CONSTRAINT schedules_overlap CHECK (overlap IN ('skip', 'buffer_one', 'cancel_other', 'allow')),
        CONSTRAINT schedules_catch_up CHECK (catch_up IN ('latest', 'all')),
        CONSTRAINT schedules_state CHECK (state IN ('active', 'paused')),
        CONSTRAINT schedules_paused_because
          CHECK (paused_because IN ('person', 'failures', 'plan', 'finished')
            AND (paused_because IS NOT NULL) = (state = 'paused')),
        CONSTRAINT schedules_next_when_active
          CHECK ((next_at IS NOT NULL) = (state = 'active') AND (next_at IS NULL OR wake_at IS NOT NULL))
      )
    `);
    await runner.query('CREATE INDEX schedules_by_org ON schedules (org_id, id)');
    await runner.query('CREATE INDEX schedules_by_agent ON schedules (agent_id)');
    await runner.query('CREATE INDEX schedules_due ON schedules (wake_at, id) WHERE wake_at IS NOT NULL');
    await runner.query(`
      CREATE INDEX schedules_without_then ON schedules (id)
      WHERE next_at IS NOT NULL AND then_at IS NULL AND at IS NULL
    `);
    await runner.query(`
      CREATE TABLE schedule_fires (
        id          text        PRIMARY KEY CHECK (id LIKE 'fir_%'),
        schedule_id text        NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
        org_id      text        NOT NULL,
        due_at      timestamptz NOT NULL,
        state       text        NOT NULL,
        reason      text,
        run_id      text,
        fired_at    timestamptz,
        CONSTRAINT schedule_fires_state CHECK (state IN ('due', 'started', 'skipped', 'missed', 'failed')),
        CONSTRAINT schedule_fires_run CHECK ((run_id IS NOT NULL) = (state = 'started')),
        CONSTRAINT schedule_fires_fired CHECK ((fired_at IS NULL) = (state = 'due')),
        -- No time of a schedule fires twice.
        CONSTRAINT schedule_fires_once UNIQUE (schedule_id, due_at)
      )
    `);
    await runner.query('CREATE INDEX schedule_fires_log ON schedule_fires (schedule_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schedule_fires');
    await runner.query('DROP TABLE schedules');
  }
}
