import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { DatabaseBusy } from '../databases.errors.js';
import type { ClaimedOperation, Operation, OperationFailure } from '../operations/operation.js';

/** The channel on which hosts learn that operations are due. */
export const OPERATIONS_DUE = 'database_operations_due';

const COLUMNS = `id, database_id AS "databaseId", host_id AS "hostId", kind, step, input, attempts,
  worker_id AS "workerId"`;

type NewOperation = Pick<Operation, 'id' | 'databaseId' | 'hostId' | 'kind' | 'input'> & { readonly createdAt: Date };
type Fence = Pick<ClaimedOperation, 'id' | 'workerId'>;

/**
 * Stores operations. Leases are compared by the clock of the database, the only one that all hosts share. `worker_id`
 * is the worker that has an operation; one that has lost its lease changes nothing any more.
 */
@Injectable()
export class DatabaseOperationsStore {
  constructor(private readonly database: Database) {}

  /** @throws {DatabaseBusy} `database_busy` */
  async insert({ id, databaseId, hostId, kind, input, createdAt }: NewOperation): Promise<void> {
    // A violated constraint ends the transaction of the caller, so it is asked for before.
    const rows = await this.query<{ id: string }>(
      `INSERT INTO database_operations (id, database_id, host_id, kind, step, state, input, attempts, next_at,
         created_at)
       VALUES ($1, $2, $3, $4, 0, 'pending', $5, 0, now(), $6)
       ON CONFLICT (database_id) WHERE state IN ('pending', 'running') DO NOTHING RETURNING id`,
      [id, databaseId, hostId, kind, JSON.stringify(input), createdAt],
    );
    if (rows.length === 0) throw new DatabaseBusy();
    await this.query('SELECT pg_notify($1, $2)', [OPERATIONS_DUE, hostId]);
  }

  async hasActive(databaseId: string): Promise<boolean> {
    const [row] = await this.query<{ active: boolean }>(
      `SELECT EXISTS (SELECT FROM database_operations
         WHERE database_id = $1 AND state IN ('pending', 'running')) AS active`,
      [databaseId],
    );
    return row!.active;
  }

  /** Takes up to `limit` operations that are due, also those whose worker was lost, those that wait longest first. */
  async claim(
    hostId: string,
    { workerId, limit, leaseMs }: { readonly workerId: string; readonly limit: number; readonly leaseMs: number },
  ): Promise<ClaimedOperation[]> {
    return this.changed<ClaimedOperation>(
      `
      UPDATE database_operations SET state = 'running', worker_id = $2, attempts = attempts + 1,
        lease_until = now() + $4 * interval '1 millisecond', next_at = now() + $4 * interval '1 millisecond'
      WHERE id IN (
        SELECT id FROM database_operations
        WHERE host_id = $1 AND state IN ('pending', 'running') AND next_at <= now()
        ORDER BY next_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
      RETURNING ${COLUMNS}`,
      [hostId, workerId, limit, leaseMs],
    );
  }

  /** Ends the leases of earlier processes of a host. The caller knows that they are gone. */
  async endEarlierLeases(hostId: string, workerId: string): Promise<void> {
    await this.query(
      `UPDATE database_operations SET lease_until = now(), next_at = now()
       WHERE host_id = $1 AND state = 'running' AND worker_id <> $2`,
      [hostId, workerId],
    );
  }

  /** Renews the leases of operations, and returns the ids of those that this worker still has. */
  async renew(workerId: string, ids: readonly string[], leaseMs: number): Promise<string[]> {
    const rows = await this.changed<{ id: string }>(
      `
      UPDATE database_operations SET lease_until = now() + $3 * interval '1 millisecond',
        next_at = now() + $3 * interval '1 millisecond'
      WHERE worker_id = $1 AND id = ANY($2::text[]) AND state = 'running' RETURNING id`,
      [workerId, ids, leaseMs],
    );
    return rows.map(({ id }) => id);
  }

  /** Records that a step has succeeded. False for a worker that has lost the operation. */
  async advance({ id, workerId }: Fence, step: number): Promise<boolean> {
    const rows = await this.changed(
      `UPDATE database_operations SET step = $3, attempts = 1
       WHERE id = $1 AND worker_id = $2 AND state = 'running' RETURNING id`,
      [id, workerId, step],
    );
    return rows.length > 0;
  }

  /** Hands an operation back: a worker of its host takes it after the delay. */
  async postpone({ id, workerId }: Fence, { delayMs, isFault }: { delayMs: number; isFault: boolean }): Promise<void> {
    await this.query(
      `UPDATE database_operations SET state = 'pending', worker_id = NULL, lease_until = NULL,
         next_at = now() + $3 * interval '1 millisecond', attempts = attempts - CASE WHEN $4 THEN 0 ELSE 1 END
       WHERE id = $1 AND worker_id = $2 AND state = 'running'`,
      [id, workerId, delayMs, isFault],
    );
  }

  /** Ends an operation in the running transaction. False for a worker that has lost it. */
  async end({ id, workerId }: Fence, failure: OperationFailure | undefined, at: Date): Promise<boolean> {
    const rows = await this.changed(
      `UPDATE database_operations SET state = $3, error_code = $4, error_message = $5, finished_at = $6,
         lease_until = NULL
       WHERE id = $1 AND worker_id = $2 AND state = 'running' RETURNING id`,
      [id, workerId, failure === undefined ? 'done' : 'failed', failure?.code ?? null, failure?.message ?? null, at],
    );
    return rows.length > 0;
  }

  /**
   * Gives creations of hosts that were not seen for this long to another host, and returns how many. Nothing was made
   * there that a tenant has seen.
   */
  async moveCreations(toHostId: string, { unseenMs }: { readonly unseenMs: number }): Promise<number> {
    const rows = await this.changed(
      `
      WITH lost AS (
        SELECT o.id, o.database_id FROM database_operations o JOIN database_hosts h ON h.id = o.host_id
        WHERE o.kind = 'create' AND o.state IN ('pending', 'running') AND o.next_at <= now()
          AND h.seen_at < now() - $2 * interval '1 millisecond' AND h.id <> $1
        FOR UPDATE OF o SKIP LOCKED
      ), moved AS (
        UPDATE databases SET host_id = $1 WHERE id IN (SELECT database_id FROM lost)
      )
      UPDATE database_operations SET host_id = $1, state = 'pending', worker_id = NULL, lease_until = NULL, step = 0,
        next_at = now()
      WHERE id IN (SELECT id FROM lost) RETURNING id`,
      [toHostId, unseenMs],
    );
    if (rows.length > 0) await this.query('SELECT pg_notify($1, $2)', [OPERATIONS_DUE, toHostId]);
    return rows.length;
  }

  async deleteOf(databaseId: string): Promise<void> {
    await this.query('DELETE FROM database_operations WHERE database_id = $1', [databaseId]);
  }

  /** Deletes up to `limit` operations that ended before this time, and returns how many. */
  async deleteEnded(before: Date, limit: number): Promise<number> {
    const rows = await this.changed(
      `DELETE FROM database_operations WHERE id IN (
         SELECT id FROM database_operations WHERE finished_at < $1 ORDER BY finished_at LIMIT $2) RETURNING id`,
      [before, limit],
    );
    return rows.length;
  }

  /** How many operations are active by kind, and the age in seconds of the oldest active one. */
  async active(): Promise<{ byKind: { kind: string; count: number }[]; oldestSeconds: number }> {
    const rows = await this.query<{ kind: string; count: number; seconds: number }>(
      `SELECT kind, count(*)::int AS count, extract(epoch FROM now() - min(created_at))::float AS seconds
       FROM database_operations WHERE state IN ('pending', 'running') GROUP BY kind`,
      [],
    );
    return {
      byKind: rows.map(({ kind, count }) => ({ kind, count })),
      oldestSeconds: Math.max(0, ...rows.map(({ seconds }) => seconds)),
    };
  }

  private async changed<Row>(text: string, values: unknown[]): Promise<Row[]> {
    const [rows] = await this.database.manager.query<[Row[], number]>(text, values);
    return rows;
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
