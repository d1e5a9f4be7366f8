import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATES = "'queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'timed_out'";
const WAITS = "'approval', 'answer', 'children', 'timer', 'budget', 'unknown_outcome'";

/** Expand only: runs of agents, their steps, tool calls, messages, events and approvals. */
export class CreateRuns1795292800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE runs (
        id                 text        PRIMARY KEY CHECK (id LIKE 'run_%'),
        org_id             text        NOT NULL,
        agent_id           text        NOT NULL,
        agent_version      integer     NOT NULL,
        root_run_id        text        NOT NULL,
        parent_run_id      text,
        depth              smallint    NOT NULL CHECK (depth BETWEEN 0 AND 20),
        swarm_id           text,
        schedule_id        text,
        continues          text,
        trigger            text        NOT NULL CONSTRAINT runs_trigger
                                       CHECK (trigger IN ('api', 'schedule', 'swarm', 'agent')),
        user_id            text        NOT NULL,
        key_id             text,
        state              text        NOT NULL CONSTRAINT runs_state CHECK (state IN (${STATES})),
        waiting_for        text        CONSTRAINT runs_waiting_for CHECK (waiting_for IN (${WAITS})),
        -- What a person needs to know of the wait, such as which budget is full.
        wait_detail        jsonb,
        failure_code       text,
        failure_message    text,
        input              jsonb       NOT NULL,
        output             jsonb,
        tainted            boolean     NOT NULL DEFAULT false,
        cost_limit_nano    bigint      NOT NULL CHECK (cost_limit_nano > 0),
        step_limit         integer     NOT NULL CHECK (step_limit > 0),
        active_limit_ms    bigint      NOT NULL CHECK (active_limit_ms > 0),
        tool_call_limit    integer     NOT NULL CHECK (tool_call_limit >= 0),
        budget_subjects    text[]      NOT NULL,
        steps              integer     NOT NULL DEFAULT 0,
        active_ms          bigint      NOT NULL DEFAULT 0,
        tool_calls         integer     NOT NULL DEFAULT 0,
        attempt            integer     NOT NULL DEFAULT 0,
        worker_id          text,
        -- How often in a row a worker was lost without any progress.
        losses             smallint    NOT NULL DEFAULT 0,
        -- When a worker may take the run: at once, when it wakes, or when the lease of its worker ends.
        ready_at           timestamptz,
        waiting_since      timestamptz,
        -- How often the run was woken, so that no wake is lost between its last look and its wait.
        wakes              integer     NOT NULL DEFAULT 0,
        last_seq           integer     NOT NULL DEFAULT 0,
        created_at         timestamptz NOT NULL,
        started_at         timestamptz,
        ended_at           timestamptz,
        CONSTRAINT runs_waiting_when_waiting CHECK ((waiting_for IS NOT NULL) = (state = 'waiting')),
        CONSTRAINT runs_ended_when_over
          CHECK ((ended_at IS NOT NULL) = (state IN ('succeeded', 'failed', 'cancelled', 'timed_out'))),
        CONSTRAINT runs_ready_when_active CHECK (ended_at IS NULL OR ready_at IS NULL),
        CONSTRAINT runs_leased_when_running CHECK (state <> 'running' OR (ready_at IS NOT NULL AND attempt > 0)),
        CONSTRAINT runs_failure_when_failed CHECK ((failure_code IS NOT NULL) = (state = 'failed'))
      ) WITH (fillfactor = 80)
    `);
    await runner.query('CREATE INDEX runs_ready ON runs (org_id, ready_at) WHERE ready_at IS NOT NULL');
    await runner.query("CREATE INDEX runs_waiting ON runs (waiting_since) WHERE state = 'waiting'");
    await runner.query("CREATE INDEX runs_active ON runs (org_id) WHERE state IN ('queued', 'running', 'waiting')");
    await runner.query('CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL');
    await runner.query('CREATE INDEX runs_by_org ON runs (org_id, id DESC)');
    await runner.query('CREATE INDEX runs_by_agent ON runs (agent_id, id DESC)');
    await runner.query('CREATE INDEX runs_by_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL');
    await runner.query('CREATE INDEX runs_by_root ON runs (root_run_id) WHERE parent_run_id IS NOT NULL');
    await runner.query('CREATE INDEX runs_by_swarm ON runs (swarm_id, id DESC) WHERE swarm_id IS NOT NULL');
    await runner.query('CREATE INDEX runs_by_schedule ON runs (schedule_id, id DESC) WHERE schedule_id IS NOT NULL');
    await this.createParts(runner);
  }

  private async createParts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE run_steps (
        run_id        text        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        seq           integer     NOT NULL,
        kind          text        NOT NULL CHECK (kind IN ('answer', 'summary')),
        state         text        NOT NULL CHECK (state IN ('asking', 'answered')),
        asks          smallint    NOT NULL CHECK (asks >= 0),
        model         text,
        text          text,
        generation_id text,
        input_tokens  integer,
        output_tokens integer,
        cost_nano     bigint,
        created_at    timestamptz NOT NULL,
        ended_at      timestamptz,
        PRIMARY KEY (run_id, seq)
      )
    `);
    await runner.query(`
      CREATE TABLE run_tool_calls (
        id             text        PRIMARY KEY CHECK (id LIKE 'tcl_%'),
        org_id         text        NOT NULL,
        run_id         text        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        step           integer     NOT NULL,
        place          integer     NOT NULL,
        model_call_id  text        NOT NULL,
        tool           text        NOT NULL,
        effect         text        NOT NULL CHECK (effect IN ('local', 'read', 'keyed', 'once')),
        effect_key     text        NOT NULL,
        arguments      jsonb       NOT NULL,
        state          text        NOT NULL CONSTRAINT run_tool_calls_state CHECK (state IN ('proposed',
          'awaiting_approval', 'authorised', 'executing', 'succeeded', 'failed', 'denied', 'expired',
          'outcome_unknown')),
        waiting_for    text        CHECK (waiting_for IN ('answer', 'children', 'timer', 'unknown_outcome')),
        wakes_at       timestamptz,
        output         jsonb,
        error_code     text,
        error_message  text,
        started_at     timestamptz,
        ended_at       timestamptz,
        CONSTRAINT run_tool_calls_place UNIQUE (run_id, step, place)
      ) WITH (fillfactor = 80)
    `);
    await runner.query(`
      CREATE TABLE run_messages (
        run_id     text        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        seq        integer     NOT NULL,
        after_step integer     NOT NULL,
        call_id    text,
        content    jsonb       NOT NULL,
        user_id    text,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (run_id, seq)
      )
    `);
    await runner.query(`
      CREATE TABLE run_events (
        run_id text        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        seq    integer     NOT NULL,
        type   text        NOT NULL,
        at     timestamptz NOT NULL,
        data   jsonb       NOT NULL,
        PRIMARY KEY (run_id, seq)
      )
    `);
    await runner.query(`
      CREATE TABLE approvals (
        id                 text        PRIMARY KEY CHECK (id LIKE 'apr_%'),
        org_id             text        NOT NULL,
        agent_id           text        NOT NULL,
        run_id             text        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        call_id            text        NOT NULL CONSTRAINT approvals_call UNIQUE
                                       REFERENCES run_tool_calls (id) ON DELETE CASCADE,
        tool               text        NOT NULL,
        arguments          jsonb       NOT NULL,
        digest             text        NOT NULL,
        reason             text        NOT NULL CHECK (reason IN ('rule', 'tainted', 'tool')),
        state              text        NOT NULL CONSTRAINT approvals_state
          CHECK (state IN ('waiting', 'approved', 'denied', 'expired', 'used', 'void')),
        changes_arguments  boolean     NOT NULL DEFAULT false,
        note               text,
        decided_by         text,
        created_at         timestamptz NOT NULL,
        expires_at         timestamptz NOT NULL,
        decided_at         timestamptz,
        CONSTRAINT approvals_decided CHECK (state NOT IN ('approved', 'denied', 'used') OR decided_by IS NOT NULL)
      )
    `);
    await runner.query('CREATE INDEX approvals_by_org ON approvals (org_id, id DESC)');
    await runner.query("CREATE INDEX approvals_waiting ON approvals (expires_at) WHERE state = 'waiting'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE approvals');
    await runner.query('DROP TABLE run_events');
    await runner.query('DROP TABLE run_messages');
    await runner.query('DROP TABLE run_tool_calls');
    await runner.query('DROP TABLE run_steps');
    await runner.query('DROP TABLE runs');
  }
}
