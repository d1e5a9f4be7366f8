import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Deploy } from './deploy.entity.js';

/** The advisory lock under which deploys are admitted. The number is arbitrary, and unique in this service. */
const ADMISSION_LOCK = 7_302_510;

/** The slots of a worker do not count if it has not reported for this long. */
const WORKER_LOST_AFTER = "interval '30 seconds'";

/** Admitted deploys are those in RUNNING_STATES and those whose job waits for a worker. */
const ADMITTED = "admitted_at IS NOT NULL AND state IN ('queued', 'initializing', 'building', 'deploying')";

export type Waiting = Pick<Deploy, 'id' | 'attempt' | 'projectId' | 'type' | 'branch'>;

/**
 * Stores which deploys may run. Leases and reports of workers are compared by the clock of the database, the only one
 * that all workers share.
 */
@Injectable()
export class AdmissionStore {
  constructor(private readonly database: Database) {}

  /** Only one transaction admits at a time, so that the counts of running deploys stay correct until it ends. */
  async lock(): Promise<void> {
    await this.database.manager.query('SELECT pg_advisory_xact_lock($1)', [ADMISSION_LOCK]);
  }

  /** How many deploys of each organization are to be admitted. */
  async waitingOfOrgs(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.manager.query<{ org_id: string; count: number }[]>(
      `SELECT org_id, count(*)::int AS count FROM deploys
       WHERE state = 'queued' AND admitted_at IS NULL GROUP BY org_id`,
    );
    return new Map(rows.map(({ org_id: orgId, count }) => [orgId, count]));
  }

  /**
   * The next deploy to admit: production first, then the oldest. It skips deploys while the limit of their organization
   * is reached, while another deploy of the same project, target and branch runs, or while no worker has a free slot.
   * `perOrg` has the limit of each organization. Deploys of organizations that are not in it are skipped.
   */
  async next(perOrg: ReadonlyMap<string, number>): Promise<Waiting | undefined> {
    const [row] = await this.database.manager.query<Waiting[]>(
      `
      WITH active AS (SELECT org_id, project_id, type, branch FROM deploys WHERE ${ADMITTED}),
           hosts AS (
             SELECT coalesce(sum(slots), 0) AS slots FROM deploy_workers WHERE seen_at > now() - ${WORKER_LOST_AFTER}
           )
      SELECT d.id, d.attempt, d.project_id AS "projectId", d.type, d.branch
      FROM deploys d
      WHERE d.state = 'queued' AND d.admitted_at IS NULL
        AND (SELECT count(*) FROM active) < (SELECT slots FROM hosts)
        AND (SELECT count(*) FROM active a WHERE a.org_id = d.org_id) < ($1::jsonb ->> d.org_id)::int
        AND NOT EXISTS (
          SELECT FROM active a WHERE a.project_id = d.project_id AND a.type = d.type AND a.branch = d.branch
        )
      ORDER BY d.type = 'production' DESC, d.id
      LIMIT 1 FOR UPDATE OF d SKIP LOCKED`,
      [JSON.stringify(Object.fromEntries(perOrg))],
    );
    return row;
  }

  async admit({ id, attempt }: Waiting): Promise<void> {
    await this.database.manager.query('UPDATE deploys SET admitted_at = now(), attempt = $2 WHERE id = $1', [
      id,
      attempt + 1,
    ]);
  }

  /** False when the attempt no longer belongs to the worker, because it was cancelled or considered lost. */
  async renew(id: string, attempt: number, leaseMs: number): Promise<boolean> {
    const [rows] = await this.database.manager.query<[unknown[], number]>(
      `
      UPDATE deploys SET lease_until = now() + $3 * interval '1 millisecond'
      WHERE id = $1 AND attempt = $2 AND state IN ('initializing', 'building', 'deploying') RETURNING id`,
      [id, attempt, leaseMs],
    );
    return rows.length === 1;
  }

  /** Running deploys whose lease has expired. They are locked until the running transaction ends. */
  lost(limit: number): Promise<Waiting[]> {
    return this.database.manager.query<Waiting[]>(
      `
      SELECT id, attempt, project_id AS "projectId", type, branch FROM deploys
      WHERE state IN ('initializing', 'building', 'deploying') AND lease_until < now()
      ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
    );
  }

  /** Queues admitted deploys again that no worker has started, because their job may be lost. */
  async readmitUnstarted(afterMs: number): Promise<number> {
    const [rows] = await this.database.manager.query<[unknown[], number]>(
      `
      UPDATE deploys SET admitted_at = NULL
      WHERE id IN (
        SELECT id FROM deploys WHERE state = 'queued' AND admitted_at < now() - $1 * interval '1 millisecond'
        FOR UPDATE SKIP LOCKED)
      RETURNING id`,
      [afterMs],
    );
    return rows.length;
  }

  async reportWorker(id: string, slots: number): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO deploy_workers (id, slots, seen_at) VALUES ($1, $2, now())
      ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, seen_at = excluded.seen_at`,
      [id, slots],
    );
    await this.database.manager.query("DELETE FROM deploy_workers WHERE seen_at < now() - interval '1 hour'");
  }

  async removeWorker(id: string): Promise<void> {
    await this.database.manager.query('DELETE FROM deploy_workers WHERE id = $1', [id]);
  }

  /** The number of queued deploys, and the age of the oldest. */
  async waiting(): Promise<{ count: number; oldestSeconds: number }> {
    const [row] = await this.database.manager.query<{ count: number; oldest: number }[]>(`
      SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS oldest
      FROM deploys WHERE state = 'queued'`);
    return { count: row!.count, oldestSeconds: Math.max(0, row!.oldest) };
  }
}
