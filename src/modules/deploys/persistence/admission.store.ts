import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Deploy } from './deploy.entity.js';

/** Names the lock under which deploys are admitted: a number of our own among advisory locks. */
const ADMISSION_LOCK = 7_302_510;

/** A worker that has not been heard of for so long has no slots any more. */
const WORKER_LOST_AFTER = "interval '30 seconds'";

/** As AT_WORK, and those that a worker is asked to do. */
const ADMITTED = "admitted_at IS NOT NULL AND state IN ('queued', 'initializing', 'building', 'deploying')";

export type Waiting = Pick<Deploy, 'id' | 'attempt' | 'projectId' | 'type' | 'branch'>;

/**
 * Which deploys may be worked on. Leases and reports of workers are compared by the clock of the database, the only one
 * that all workers share.
 */
@Injectable()
export class AdmissionStore {
  constructor(private readonly database: Database) {}

  /** Others who would admit wait until the running transaction ends, so that what is counted stays so until then. */
  async lock(): Promise<void> {
    await this.database.manager.query('SELECT pg_advisory_xact_lock($1)', [ADMISSION_LOCK]);
  }

  /** Organizations of which something waits. */
  async orgsWaiting(): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      "SELECT DISTINCT org_id FROM deploys WHERE state = 'queued' AND admitted_at IS NULL",
    );
    return rows.map(({ org_id: orgId }) => orgId);
  }

  /**
   * The next whose turn it is: production first, then the oldest. Not one whose project, target and branch, whose
   * organization or whose hosts have their hands full. `perOrg`: how many each organization may have at work; of one
   * that is not named nothing is next.
   */
  async next(perOrg: ReadonlyMap<string, number>): Promise<Waiting | undefined> {
    const [row] = await this.database.manager.query<Waiting[]>(
      `
      WITH active AS (SELECT org_id, project_id, type, branch FROM deploys WHERE ${ADMITTED}),
           hosts AS (SELECT coalesce(sum(slots), 0) AS slots FROM deploy_workers WHERE seen_at > now() - ${WORKER_LOST_AFTER})
      SELECT d.id, d.attempt, d.project_id AS "projectId", d.type, d.branch
      FROM deploys d
      WHERE d.state = 'queued' AND d.admitted_at IS NULL
        AND (SELECT count(*) FROM active) < (SELECT slots FROM hosts)
        AND (SELECT count(*) FROM active a WHERE a.org_id = d.org_id) < ($1::jsonb ->> d.org_id)::int
        AND NOT EXISTS (SELECT FROM active a WHERE a.project_id = d.project_id AND a.type = d.type AND a.branch = d.branch)
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

  /** False when the attempt is not the worker's any more: it was cancelled, or taken for lost. */
  async renew(id: string, attempt: number, leaseMs: number): Promise<boolean> {
    const [rows] = await this.database.manager.query<[unknown[], number]>(
      `
      UPDATE deploys SET lease_until = now() + $3 * interval '1 millisecond'
      WHERE id = $1 AND attempt = $2 AND state IN ('initializing', 'building', 'deploying') RETURNING id`,
      [id, attempt, leaseMs],
    );
    return rows.length === 1;
  }

  /** Those at work whose lease is over; nobody else gives them up until the running transaction ends. */
  lost(limit: number): Promise<Waiting[]> {
    return this.database.manager.query<Waiting[]>(
      `
      SELECT id, attempt, project_id AS "projectId", type, branch FROM deploys
      WHERE state IN ('initializing', 'building', 'deploying') AND lease_until < now() ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
    );
  }

  /** Lets those be admitted anew that a worker was asked to do and none has begun: their job may be lost. */
  async readmitUnbegun(afterMs: number): Promise<number> {
    const [rows] = await this.database.manager.query<[unknown[], number]>(
      `
      UPDATE deploys SET admitted_at = NULL
      WHERE id IN (SELECT id FROM deploys WHERE state = 'queued' AND admitted_at < now() - $1 * interval '1 millisecond' FOR UPDATE SKIP LOCKED)
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

  /** Of deploys that wait for their turn. */
  async waiting(): Promise<{ count: number; oldestSeconds: number }> {
    const [row] = await this.database.manager.query<{ count: number; oldest: number }[]>(`
      SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS oldest FROM deploys WHERE state = 'queued'`);
    return { count: row!.count, oldestSeconds: Math.max(0, row!.oldest) };
  }
}
