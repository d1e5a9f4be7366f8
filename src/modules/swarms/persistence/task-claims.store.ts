import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Failure, type SwarmTask, TASK_COLUMNS, type TaskHolder } from './swarm-rows.js';

const CLAIM = `
  state = 'claimed', fence = t.fence + 1, attempts = t.attempts + 1, holder_run_id = $2, holder_user_id = $3,
  holder_name = $4, lease_expires_at = clock_timestamp() + make_interval(secs => $5), updated_at = clock_timestamp()`;
const NO_HOLDER = 'holder_run_id = NULL, holder_user_id = NULL, holder_name = NULL, lease_expires_at = NULL';
/** The claim with fence $2 holds the task. The time of a transaction is that of its beginning, before a lease ends. */
const HELD = `state = 'claimed' AND fence = $2 AND (lease_expires_at IS NULL OR lease_expires_at > clock_timestamp())`;

/** A claim to make. Without a lease it lasts until the run of the holder ends. */
export interface NewClaim {
  readonly holder: TaskHolder;
  readonly leaseSeconds: number | null;
}

/** Claims of tasks. Leases are compared with the clock of the database, which all processes share. */
@Injectable()
export class TaskClaimsStore {
  constructor(private readonly database: Database) {}

  /** Exactly one of several racing claims succeeds. Undefined when the task cannot be claimed now. */
  claim(id: string, { holder, leaseSeconds }: NewClaim): Promise<SwarmTask | undefined> {
    return this.one(
      `UPDATE swarm_tasks t SET ${CLAIM}
       WHERE id = $1 AND attempts < max_attempts
         AND (state = 'open' OR (state = 'claimed' AND lease_expires_at <= clock_timestamp()))
       RETURNING ${TASK_COLUMNS}`,
      [id, holder.runId, holder.userId, holder.name, leaseSeconds],
    );
  }

  /**
   * Claims the oldest open task whose labels are all among these, or else the oldest one with an expired lease. Without
   * labels any task fits.
   */
  async claimNext(
    swarmId: string,
    labels: readonly string[] | undefined,
    { holder, leaseSeconds }: NewClaim,
  ): Promise<SwarmTask | undefined> {
    const values = [swarmId, holder.runId, holder.userId, holder.name, leaseSeconds, labels ?? null];
    const claim = (condition: string): Promise<SwarmTask | undefined> =>
      this.one(
        `WITH next AS MATERIALIZED (
           SELECT id FROM swarm_tasks
           WHERE swarm_id = $1 AND attempts < max_attempts AND ($6::text[] IS NULL OR labels <@ $6) AND ${condition}
           ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
         UPDATE swarm_tasks t SET ${CLAIM} FROM next WHERE t.id = next.id RETURNING ${TASK_COLUMNS}`,
        values,
      );
    return (await claim("state = 'open'")) ?? claim("state = 'claimed' AND lease_expires_at <= clock_timestamp()");
  }

  renew(id: string, fence: number, leaseSeconds: number): Promise<SwarmTask | undefined> {
    return this.one(
      `UPDATE swarm_tasks t SET lease_expires_at = clock_timestamp() + make_interval(secs => $3),
         updated_at = clock_timestamp()
       WHERE id = $1 AND ${HELD} AND holder_run_id IS NULL RETURNING ${TASK_COLUMNS}`,
      [id, fence, leaseSeconds],
    );
  }

  complete(id: string, fence: number, result: unknown): Promise<SwarmTask | undefined> {
    return this.one(
      `UPDATE swarm_tasks t SET state = 'done', ${NO_HOLDER}, result = $3, updated_at = clock_timestamp()
       WHERE id = $1 AND ${HELD} RETURNING ${TASK_COLUMNS}`,
      [id, fence, result === undefined ? null : JSON.stringify(result)],
    );
  }

  /** Ends an attempt. The task is open again, unless it was the last attempt or the failure is final. */
  fail(id: string, fence: number, failure: Failure & { isFinal: boolean }): Promise<SwarmTask | undefined> {
    const { code, message, isFinal } = failure;
    return this.one(
      `UPDATE swarm_tasks t SET state = CASE WHEN $4 OR attempts >= max_attempts THEN 'failed' ELSE 'open' END,
         ${NO_HOLDER}, error = $3, updated_at = clock_timestamp()
       WHERE id = $1 AND ${HELD} RETURNING ${TASK_COLUMNS}`,
      [id, fence, JSON.stringify({ code, message }), isFinal],
    );
  }

  /** Gives the attempt back. */
  release(id: string, fence: number): Promise<SwarmTask | undefined> {
    return this.one(
      `UPDATE swarm_tasks t SET state = 'open', ${NO_HOLDER}, attempts = attempts - 1, updated_at = clock_timestamp()
       WHERE id = $1 AND ${HELD} RETURNING ${TASK_COLUMNS}`,
      [id, fence],
    );
  }

  /** Opens tasks again whose lease has expired, unless it was the last attempt. Returns the swarm of each. */
  async expireLeases(limit: number): Promise<string[]> {
    const rows = await this.returning<{ swarmId: string }>(
      `WITH expired AS MATERIALIZED (
         SELECT id FROM swarm_tasks WHERE lease_expires_at <= clock_timestamp() AND attempts < max_attempts
         ORDER BY lease_expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       UPDATE swarm_tasks t SET state = 'open', ${NO_HOLDER}, updated_at = clock_timestamp(),
         error = '{"code": "lease_expired", "message": "The claim was not renewed in time."}'
       FROM expired WHERE t.id = expired.id RETURNING t.swarm_id AS "swarmId"`,
      [limit],
    );
    return rows.map(({ swarmId }) => swarmId);
  }

  /** Claims of a last attempt whose lease has expired. */
  lastAttemptsExpired(limit: number): Promise<Pick<SwarmTask, 'id' | 'swarmId' | 'fence'>[]> {
    return this.sql(
      `SELECT id, swarm_id AS "swarmId", fence::float8 AS fence FROM swarm_tasks
       WHERE lease_expires_at <= clock_timestamp() AND attempts >= max_attempts ORDER BY lease_expires_at LIMIT $1`,
      [limit],
    );
  }

  /** The lease of this claim has expired with its last attempt. */
  failExpired(id: string, fence: number): Promise<boolean> {
    return this.changed(
      `UPDATE swarm_tasks SET state = 'failed', ${NO_HOLDER}, updated_at = clock_timestamp(),
         error = '{"code": "lease_expired", "message": "The claim of the last attempt was not renewed in time."}'
       WHERE id = $1 AND fence = $2 AND lease_expires_at <= clock_timestamp()`,
      [id, fence],
    );
  }

  /** The tasks that a run holds. */
  heldBy(runId: string): Promise<Pick<SwarmTask, 'id' | 'fence'>[]> {
    return this.sql('SELECT id, fence::float8 AS fence FROM swarm_tasks WHERE holder_run_id = $1 ORDER BY id', [runId]);
  }

  private async one(text: string, values: readonly unknown[]): Promise<SwarmTask | undefined> {
    return (await this.returning<SwarmTask>(text, values))[0];
  }

  private async changed(text: string, values: readonly unknown[]): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(text, [...values]);
    return count > 0;
  }

  private async returning<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const [rows] = await this.database.manager.query<[Row[], number]>(text, [...values]);
    return rows;
  }

  private sql<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, [...values]);
  }
}
