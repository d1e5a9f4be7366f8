import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release has no swarms. */
export class CreateSwarms1795292900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createSwarms(runner);
    await this.createTasks(runner);
    await runner.query(`
      CREATE TABLE swarm_runs (
        run_id   text        PRIMARY KEY,
        swarm_id text        NOT NULL REFERENCES swarms (id) ON DELETE CASCADE,
        agent_id text        NOT NULL,
        role     text        NOT NULL CONSTRAINT swarm_runs_role CHECK (role IN ('coordinator', 'worker')),
        done     integer     NOT NULL DEFAULT 0,
        ended_at timestamptz
      )
    `);
    await runner.query('CREATE INDEX swarm_runs_active ON swarm_runs (swarm_id) WHERE ended_at IS NULL');
    await runner.query(`
      CREATE TABLE child_runs (
        run_id        text        PRIMARY KEY,
        call_id       text        NOT NULL CONSTRAINT child_runs_call UNIQUE,
        org_id        text        NOT NULL REFERENCES organizations (id),
        parent_run_id text        NOT NULL,
        root_run_id   text        NOT NULL,
        depth         integer     NOT NULL CONSTRAINT child_runs_depth CHECK (depth BETWEEN 1 AND 5),
        state         text        CHECK (state IN ('succeeded', 'failed', 'cancelled', 'timed_out')),
        output        json,
        tainted       boolean     NOT NULL DEFAULT false,
        failure_code  text,
        created_at    timestamptz NOT NULL,
        ended_at      timestamptz,
        CONSTRAINT child_runs_ended CHECK ((state IS NOT NULL) = (ended_at IS NOT NULL))
      )
    `);
    await runner.query('CREATE INDEX child_runs_by_root ON child_runs (root_run_id)');
    await runner.query('CREATE INDEX child_runs_ended ON child_runs (ended_at) WHERE ended_at IS NOT NULL');
  }

  private async createSwarms(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE swarms (
        id                   text        PRIMARY KEY CHECK (id LIKE 'swm_%'),
        org_id               text        NOT NULL REFERENCES organizations (id),
        name                 text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        goal                 text        NOT NULL CHECK (octet_length(goal) BETWEEN 1 AND 65536),
        state                text        NOT NULL
          CONSTRAINT swarms_state CHECK (state IN ('running', 'stalled', 'succeeded', 'failed', 'cancelled')),
        coordinator_agent_id text        NOT NULL,
        coordinator_run_id   text,
        -- [{"agentId": "agt_…", "count": 3}]
        workers              jsonb       NOT NULL,
        cost_nano            bigint      NOT NULL CHECK (cost_nano > 0),
        reserve_nano         bigint      NOT NULL,
        output               json,
        error                jsonb,
        moves                integer     NOT NULL DEFAULT 0,
        awaited_moves        integer,
        nudged_moves         integer,
        fruitless_runs       integer     NOT NULL DEFAULT 0,
        -- The size of all results of its tasks.
        result_bytes         integer     NOT NULL DEFAULT 0,
        -- The next round of the schedule has to start, wake or cancel runs.
        needs_turn           boolean     NOT NULL DEFAULT true,
        created_by           text        NOT NULL,
        created_by_key       text,
        created_at           timestamptz NOT NULL,
        ended_at             timestamptz,
        CONSTRAINT swarms_reserve CHECK (reserve_nano BETWEEN 0 AND cost_nano),
        CONSTRAINT swarms_ended CHECK ((ended_at IS NOT NULL) = (state IN ('succeeded', 'failed', 'cancelled')))
      )
    `);
    await runner.query('CREATE INDEX swarms_by_org ON swarms (org_id, id DESC)');
    await runner.query('CREATE INDEX swarms_ended ON swarms (ended_at) WHERE ended_at IS NOT NULL');
    await runner.query('CREATE INDEX swarms_needing_turn ON swarms (id) WHERE needs_turn');
  }

  private async createTasks(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE swarm_tasks (
        id               text        PRIMARY KEY CHECK (id LIKE 'swt_%'),
        swarm_id         text        NOT NULL REFERENCES swarms (id) ON DELETE CASCADE,
        org_id           text        NOT NULL,
        title            text        NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
        description      text,
        state            text        NOT NULL CONSTRAINT swarm_tasks_state
          CHECK (state IN ('blocked', 'open', 'claimed', 'done', 'failed', 'cancelled')),
        -- How many of its needs are not done.
        open_needs       integer     NOT NULL,
        labels           text[]      NOT NULL,
        holder_run_id    text,
        holder_user_id   text,
        holder_name      text,
        fence            bigint      NOT NULL DEFAULT 0,
        lease_expires_at timestamptz,
        attempts         integer     NOT NULL DEFAULT 0,
        max_attempts     integer     NOT NULL,
        notes            jsonb       NOT NULL DEFAULT '[]',
        -- A run that has read text from outside of the service has written to it.
        tainted          boolean     NOT NULL DEFAULT false,
        result           json,
        error            jsonb,
        created_at       timestamptz NOT NULL,
        updated_at       timestamptz NOT NULL,
        CONSTRAINT swarm_tasks_attempts CHECK (attempts BETWEEN 0 AND max_attempts),
        CONSTRAINT swarm_tasks_blocked CHECK (open_needs >= 0 AND (state <> 'blocked' OR open_needs > 0)
          AND (state NOT IN ('open', 'claimed', 'done') OR open_needs = 0)),
        CONSTRAINT swarm_tasks_holder
          CHECK ((state = 'claimed') = (holder_run_id IS NOT NULL OR holder_user_id IS NOT NULL)),
        CONSTRAINT swarm_tasks_lease CHECK (lease_expires_at IS NULL OR state = 'claimed'),
        CONSTRAINT swarm_tasks_lasting
          CHECK (state <> 'claimed' OR holder_run_id IS NOT NULL OR lease_expires_at IS NOT NULL)
      ) WITH (fillfactor = 80)
    `);
    await runner.query('CREATE INDEX swarm_tasks_by_swarm ON swarm_tasks (swarm_id, id)');
    await runner.query("CREATE INDEX swarm_tasks_open ON swarm_tasks (swarm_id, id) WHERE state = 'open'");
    await runner.query(
      'CREATE INDEX swarm_tasks_leases ON swarm_tasks (lease_expires_at) WHERE lease_expires_at IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX swarm_tasks_by_run ON swarm_tasks (holder_run_id) WHERE holder_run_id IS NOT NULL',
    );
    await runner.query(`
      CREATE TABLE swarm_task_needs (
        task_id text NOT NULL REFERENCES swarm_tasks (id) ON DELETE CASCADE,
        need_id text NOT NULL REFERENCES swarm_tasks (id) ON DELETE CASCADE,
        PRIMARY KEY (task_id, need_id),
        CONSTRAINT swarm_task_needs_other CHECK (task_id <> need_id)
      )
    `);
    await runner.query('CREATE INDEX swarm_task_needs_by_need ON swarm_task_needs (need_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE child_runs');
    await runner.query('DROP TABLE swarm_runs');
    await runner.query('DROP TABLE swarm_task_needs');
    await runner.query('DROP TABLE swarm_tasks');
    await runner.query('DROP TABLE swarms');
  }
}
