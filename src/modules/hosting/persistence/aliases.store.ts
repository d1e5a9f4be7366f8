import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { HostAlias } from './host-alias.entity.js';

/**
 * Where changes of aliases are told; the payload is the label. PostgreSQL delivers it with the commit, and never
 * without.
 */
export const ALIASES_CHANNEL = 'host_aliases';

@Injectable()
export class AliasesStore {
  constructor(private readonly database: Database) {}

  /** In the running transaction. False where the label belongs to another project; nothing is changed then. */
  async point(alias: HostAlias): Promise<boolean> {
    const { label, deployId, projectId, orgId, kind, updatedAt } = alias;
    const rows = await this.database.manager.query<{ told: string }[]>(
      `
      WITH pointed AS (
        INSERT INTO host_aliases (label, deploy_id, project_id, org_id, kind, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (label) DO UPDATE
          SET deploy_id = EXCLUDED.deploy_id, org_id = EXCLUDED.org_id, kind = EXCLUDED.kind, updated_at = EXCLUDED.updated_at
          WHERE host_aliases.project_id = EXCLUDED.project_id
        RETURNING label
      )
      SELECT pg_notify($7, label)::text AS told FROM pointed`,
      [label, deployId, projectId, orgId, kind, updatedAt, ALIASES_CHANNEL],
    );
    return rows.length > 0;
  }

  /** In the running transaction. */
  async release(label: string): Promise<void> {
    await this.database.manager.query(
      `
      WITH released AS (DELETE FROM host_aliases WHERE label = $1 RETURNING label)
      SELECT pg_notify($2, label) FROM released`,
      [label, ALIASES_CHANNEL],
    );
  }

  find(label: string): Promise<HostAlias | null> {
    return this.database.manager.findOneBy(HostAlias, { label });
  }

  of(projectId: string): Promise<HostAlias[]> {
    return this.database.manager.find(HostAlias, { where: { projectId }, order: { label: 'ASC' } });
  }

  async shown(deployIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.manager.query<{ deploy_id: string }[]>(
      "SELECT deploy_id FROM host_aliases WHERE deploy_id = ANY($1) AND kind <> 'deploy'",
      [deployIds],
    );
    return new Set(rows.map(({ deploy_id: deployId }) => deployId));
  }

  /** The deploys that some host name shows. */
  async deployIds(): Promise<string[]> {
    const rows = await this.database.manager.query<{ deploy_id: string }[]>(
      'SELECT DISTINCT deploy_id FROM host_aliases',
    );
    return rows.map(({ deploy_id: deployId }) => deployId);
  }
}
