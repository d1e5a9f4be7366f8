import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type AppGuard, guardOf } from '../protection/app-guard.js';
import type { ProtectionMode } from '../protection-mode.js';
import { keyOfProduction } from './alias-keys.js';
import { HostAlias } from './host-alias.entity.js';

/** The deploy that a host serves. */
export interface ShownDeploy {
  readonly deployId: string;
  readonly orgId: string;
  /** Undefined when everybody may open the host. */
  readonly guard: AppGuard | undefined;
}

interface ShownRow extends Pick<HostAlias, 'deployId' | 'orgId' | 'projectId' | 'kind'> {
  readonly previews: ProtectionMode;
  readonly production: ProtectionMode;
  /** Null when the project has no protection, like the other fields of it. */
  readonly version: number | null;
  readonly passwordHash: string | null;
}

/**
 * The channel for changes of aliases; the payload is the label, or another key of `alias-keys.ts`. PostgreSQL delivers
 * it only when the change commits.
 */
export const ALIASES_CHANNEL = 'host_aliases';

@Injectable()
export class AliasesStore {
  constructor(private readonly database: Database) {}

  /** Joins the current transaction. Returns false, and changes nothing, when the label belongs to another project. */
  async point(alias: HostAlias): Promise<boolean> {
    const { label, deployId, projectId, orgId, kind, updatedAt } = alias;
    const rows = await this.database.manager.query<{ notified: string }[]>(
      `
      WITH pointed AS (
        INSERT INTO host_aliases (label, deploy_id, project_id, org_id, kind, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (label) DO UPDATE
          SET deploy_id = EXCLUDED.deploy_id, org_id = EXCLUDED.org_id, kind = EXCLUDED.kind,
              updated_at = EXCLUDED.updated_at
          WHERE host_aliases.project_id = EXCLUDED.project_id
        RETURNING label
      )
      SELECT pg_notify($7, label)::text AS notified FROM pointed`,
      [label, deployId, projectId, orgId, kind, updatedAt, ALIASES_CHANNEL],
    );
    if (rows.length === 0) return false;
    if (kind === 'production') await this.notifyProduction(projectId);
    return true;
  }

  /** Joins the current transaction. */
  async release(label: string): Promise<void> {
    const [released] = await this.database.manager.query<{ kind: string; project_id: string }[]>(
      `
      WITH released AS (DELETE FROM host_aliases WHERE label = $1 RETURNING label, kind, project_id)
      SELECT kind, project_id, pg_notify($2, label)::text FROM released`,
      [label, ALIASES_CHANNEL],
    );
    if (released?.kind === 'production') await this.notifyProduction(released.project_id);
  }

  /** Returns what the edge has to know of a label: its deploy, and who may open it. */
  findShown(label: string): Promise<ShownDeploy | null> {
    return this.shownBy('alias.label = $1', label);
  }

  /** Returns {@link findShown} of production. While a project changes its label it has two for a moment. */
  findShownInProduction(projectId: string): Promise<ShownDeploy | null> {
    return this.shownBy("alias.project_id = $1 AND alias.kind = 'production'", projectId);
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

  /** Returns the deploys that have a host name. */
  async deployIds(): Promise<string[]> {
    const rows = await this.database.manager.query<{ deploy_id: string }[]>(
      'SELECT DISTINCT deploy_id FROM host_aliases',
    );
    return rows.map(({ deploy_id: deployId }) => deployId);
  }

  private async shownBy(condition: string, value: string): Promise<ShownDeploy | null> {
    const [row] = await this.database.manager.query<ShownRow[]>(
      `
      SELECT alias.deploy_id AS "deployId", alias.org_id AS "orgId", alias.project_id AS "projectId", alias.kind,
             protection.previews, protection.production, protection.version,
             protection.password_hash AS "passwordHash"
      FROM host_aliases alias LEFT JOIN app_protections protection ON protection.project_id = alias.project_id
      WHERE ${condition}
      ORDER BY alias.updated_at DESC
      LIMIT 1`,
      [value],
    );
    if (row === undefined) return null;
    const { deployId, orgId, kind, version } = row;
    return { deployId, orgId, guard: version === null ? undefined : guardOf(kind, { ...row, version }) };
  }

  private async notifyProduction(projectId: string): Promise<void> {
    await this.database.manager.query('SELECT pg_notify($1, $2)', [ALIASES_CHANNEL, keyOfProduction(projectId)]);
  }
}
