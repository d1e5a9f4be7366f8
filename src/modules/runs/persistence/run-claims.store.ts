import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Run } from '../domain/run.js';
import { runOf, type RunRow } from './run-rows.js';

/** The advisory lock under which runs are taken. The number is arbitrary, and unique in this service. */
const CLAIM_LOCK = 7_302_517;
/** The channel on which workers learn that runs are ready. */
export const RUNS_READY = 'agent_runs_ready';
/** The channel on which workers learn that runs were ended by others. */
export const RUNS_ENDED = 'agent_runs_ended';

/** An organization that has runs to take. */
export interface ReadyOrg {
  readonly orgId: string;
  /** How many of its runs are running. */
  readonly running: number;
}

/** A run that this worker has taken. */
export interface ClaimedRun {
  readonly run: Run;
  /** True when an earlier worker was lost while it had the run. */
  readonly wasLost: boolean;
  /** True for the first time that a worker has it. */
  readonly isFirst: boolean;
}

/**
 * Stores which worker has which run. Leases are compared by the clock of the database, the only one that all workers
 * share. `ready_at` is when a run may be taken: at once, when it wakes, or when the lease of its worker ends.
 */
@Injectable()
export class RunClaimsStore {
  constructor(private readonly database: Database) {}

  /** Only one transaction takes runs at a time, so that the counts of running ones stay correct until it ends. */
  async lock(): Promise<void> {
    await this.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
  }

  /** Skips from one organization to the next by the index, however many runs each has. */
  async readyOrgs(): Promise<ReadyOrg[]> {
    return this.query<ReadyOrg>(
      `
      WITH RECURSIVE orgs AS (
        (SELECT org_id FROM runs WHERE ready_at IS NOT NULL ORDER BY org_id LIMIT 1)
        UNION ALL
        SELECT (SELECT runs.org_id FROM runs WHERE ready_at IS NOT NULL AND runs.org_id > orgs.org_id
          ORDER BY runs.org_id LIMIT 1)
        FROM orgs WHERE orgs.org_id IS NOT NULL
      )
      SELECT org_id AS "orgId",
        (SELECT count(*)::int FROM runs WHERE runs.org_id = orgs.org_id AND ready_at > now() AND state = 'running')
          AS running
      FROM orgs
      WHERE org_id IS NOT NULL
        AND EXISTS (SELECT FROM runs WHERE runs.org_id = orgs.org_id AND ready_at <= now())`,
      [],
    );
  }

  /**
   * Takes runs for a worker, with an event for each: of each organization up to `slots`, one of each in turn, those
   * that have waited longest first, and together at most `limit`.
   */
  async take(
    orgs: readonly { readonly orgId: string; readonly slots: number }[],
    { workerId, limit, leaseMs }: { workerId: string; limit: number; leaseMs: number },
  ): Promise<ClaimedRun[]> {
    const rows = await this.query<RunRow & { was_lost: boolean; is_first: boolean }>(
      `
      WITH picked AS (
        SELECT found.id, found.state, found.worker_id FROM unnest($1::text[], $2::int[]) AS org (id, slots)
        CROSS JOIN LATERAL (
          SELECT locked.id, locked.state, locked.worker_id, locked.ready_at,
            row_number() OVER (ORDER BY locked.ready_at) AS place
          FROM (
            SELECT runs.id, state, worker_id, ready_at FROM runs WHERE org_id = org.id AND ready_at <= now()
            ORDER BY ready_at, runs.id LIMIT org.slots FOR UPDATE SKIP LOCKED) locked) found
        ORDER BY found.place, found.ready_at LIMIT $3
      ), taken AS (
        UPDATE runs SET state = 'running', waiting_for = NULL, wait_detail = NULL, attempt = attempt + 1,
          worker_id = $4, ready_at = now() + $5 * interval '1 millisecond',
          losses = CASE WHEN picked.state = 'running' AND picked.worker_id IS NOT NULL THEN losses + 1 ELSE losses END,
          started_at = coalesce(started_at, now()), last_seq = last_seq + 1
        FROM picked WHERE runs.id = picked.id
        RETURNING runs.*, picked.state = 'running' AND picked.worker_id IS NOT NULL AS was_lost,
          picked.state = 'queued' AS is_first
      ), events AS (
        INSERT INTO run_events (run_id, seq, type, at, data)
        SELECT id, last_seq, CASE WHEN is_first THEN 'run.started' ELSE 'run.resumed' END, now(),
          jsonb_build_object('attempt', attempt)
        FROM taken
      )
      SELECT * FROM taken`,
      [orgs.map(({ orgId }) => orgId), orgs.map(({ slots }) => slots), limit, workerId, leaseMs],
    );
    return rows.map((row) => ({ run: runOf(row), wasLost: row.was_lost, isFirst: row.is_first }));
  }

  /** Renews the leases of runs and returns the ids of those that this worker still has. */
  async renew(runs: readonly { readonly id: string; readonly attempt: number }[], leaseMs: number): Promise<string[]> {
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `
      UPDATE runs SET ready_at = now() + $3 * interval '1 millisecond'
      FROM unnest($1::text[], $2::int[]) AS held (id, attempt)
      WHERE runs.id = held.id AND runs.attempt = held.attempt AND runs.state = 'running' RETURNING runs.id`,
      [runs.map(({ id }) => id), runs.map(({ attempt }) => attempt), leaseMs],
    );
    return rows.map(({ id }) => id);
  }

  /** Hands a run back: any worker takes it after the delay. */
  async handBack(
    { id, attempt }: { readonly id: string; readonly attempt: number },
    { delayMs, isLoss }: { readonly delayMs: number; readonly isLoss: boolean },
  ): Promise<void> {
    await this.query(
      `
      UPDATE runs SET ready_at = now() + $3 * interval '1 millisecond', worker_id = NULL,
        losses = losses + CASE WHEN $4 THEN 1 ELSE 0 END
      WHERE id = $1 AND attempt = $2 AND state = 'running'`,
      [id, attempt, delayMs, isLoss],
    );
    await this.notify(RUNS_READY);
  }

  /**
   * Makes waiting runs ready. A run that is running at this moment learns by its count of wakes that it has to look
   * again before it waits.
   */
  async wake(orgId: string, runIds: readonly string[]): Promise<void> {
    await this.query(
      `
      UPDATE runs SET wakes = wakes + 1, ready_at = CASE WHEN state = 'waiting' THEN now() ELSE ready_at END
      WHERE org_id = $1 AND id = ANY($2) AND ended_at IS NULL`,
      [orgId, runIds],
    );
  }

  /** Wakes the workers: after the commit, if a transaction runs. */
  async notify(channel: typeof RUNS_READY | typeof RUNS_ENDED): Promise<void> {
    await this.query('SELECT pg_notify($1, $2)', [channel, '']);
  }

  /** The age in seconds of the run that has been ready for longest. */
  async oldestReadySeconds(): Promise<number> {
    const [row] = await this.query<{ seconds: number }>(
      `SELECT coalesce(extract(epoch FROM now() - min(ready_at)), 0)::float AS seconds
       FROM runs WHERE ready_at <= now()`,
      [],
    );
    return row!.seconds;
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}
