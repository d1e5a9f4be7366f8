import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** The reservation of a process that died during an ingest expires after this time. */
const EXPIRY = '1 hour';

export interface StoredBytesOfProject {
  readonly orgId: string;
  readonly projectId: string;
  readonly bytes: number;
}

/** The storage used by deploys, and the reservations of active ingests. */
@Injectable()
export class StoredBytesStore {
  constructor(private readonly database: Database) {}

  /** Under the lock the sums stay the same until the current transaction ends, despite concurrent ingests. */
  async lock(orgId: string): Promise<void> {
    await this.database.manager.query("SELECT pg_advisory_xact_lock(hashtextextended('stored_bytes ' || $1, 0))", [
      orgId,
    ]);
  }

  /** Returns what other deploys use, reservations included. */
  async takenByOthers(orgId: string, deployId: string): Promise<number> {
    const [row] = await this.database.manager.query<{ bytes: string }[]>(
      `
      SELECT (SELECT coalesce(sum(bytes), 0) FROM hosted_deploys WHERE org_id = $1 AND deploy_id <> $2)
        + (SELECT coalesce(sum(bytes), 0) FROM stored_bytes_reservations
           WHERE org_id = $1 AND deploy_id <> $2 AND expires_at > now()) AS bytes`,
      [orgId, deployId],
    );
    return Number(row!.bytes);
  }

  async reserve(orgId: string, deployId: string, bytes: number): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO stored_bytes_reservations (deploy_id, org_id, bytes, expires_at)
      VALUES ($1, $2, $3, now() + $4::interval)
      ON CONFLICT (deploy_id) DO UPDATE SET bytes = EXCLUDED.bytes, expires_at = EXCLUDED.expires_at`,
      [deployId, orgId, bytes, EXPIRY],
    );
  }

  /** Also deletes the expired reservations of processes that died. */
  async release(deployId: string): Promise<void> {
    await this.database.manager.query(
      'DELETE FROM stored_bytes_reservations WHERE deploy_id = $1 OR expires_at < now()',
      [deployId],
    );
  }

  async ofOrganization(orgId: string): Promise<number> {
    const [row] = await this.database.manager.query<{ bytes: string }[]>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM hosted_deploys WHERE org_id = $1',
      [orgId],
    );
    return Number(row!.bytes);
  }

  async largestProjects(orgId: string, limit: number): Promise<StoredBytesOfProject[]> {
    return projectsOf(
      await this.database.manager.query<Row[]>(
        `
      SELECT org_id, project_id, sum(bytes) AS bytes FROM hosted_deploys WHERE org_id = $1
      GROUP BY org_id, project_id ORDER BY sum(bytes) DESC, project_id LIMIT $2`,
        [orgId, limit],
      ),
    );
  }

  async allProjects(): Promise<StoredBytesOfProject[]> {
    return projectsOf(
      await this.database.manager.query<Row[]>(
        `
      SELECT org_id, project_id, sum(bytes) AS bytes FROM hosted_deploys
      GROUP BY org_id, project_id ORDER BY project_id`,
      ),
    );
  }
}

interface Row {
  readonly org_id: string;
  readonly project_id: string;
  readonly bytes: string;
}

const projectsOf = (rows: readonly Row[]): StoredBytesOfProject[] =>
  rows.map(({ org_id: orgId, project_id: projectId, bytes }) => ({ orgId, projectId, bytes: Number(bytes) }));
