import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
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
  /** The deploys that the host served a short time ago, newest first. Pages that visitors have open belong to them. */
  readonly earlier: readonly string[];
}

interface ShownRow extends Pick<HostAlias, 'deployId' | 'orgId' | 'projectId' | 'kind'> {
  readonly previews: ProtectionMode;
  readonly production: ProtectionMode;
  /** Null when the project has no protection, like the other fields of it. */
  readonly version: number | null;
  readonly passwordHash: string | null;
  readonly earlier: string[];
}

/** How long a deploy stays reachable for its open pages after it was replaced, and how many of a label do. */
const REPLACED_KEPT_MS = 86_400_000;
const MOST_REPLACED = 10;

/**
 * The channel for changes of aliases; the payload is the label, or another key of `alias-keys.ts`. PostgreSQL delivers
 * it only when the change commits.
 */
export const ALIASES_CHANNEL = 'host_aliases';

@Injectable()
export class AliasesStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Joins the current transaction. Returns false, and changes nothing, when the label belongs to another project. */
  async point(alias: HostAlias): Promise<boolean> {
    const { label, deployId, projectId, orgId, kind, updatedAt } = alias;
    const [before] = await this.database.manager.query<{ deploy_id: string }[]>(
      'SELECT deploy_id FROM host_aliases WHERE label = $1 FOR UPDATE',
      [label],
    );
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
    if (before !== undefined) await this.keepReplaced(label, before.deploy_id, deployId);
    if (kind === 'production') await this.notifyProduction(projectId);
    return true;
  }

  /** Joins the current transaction. */
  async release(label: string): Promise<void> {
    const [released] = await this.database.manager.query<{ kind: string; project_id: string; deploy_id: string }[]>(
      `
      WITH released AS (DELETE FROM host_aliases WHERE label = $1 RETURNING label, kind, project_id, deploy_id)
      SELECT kind, project_id, deploy_id, pg_notify($2, label)::text FROM released`,
      [label, ALIASES_CHANNEL],
    );
    if (released === undefined) return;
    // Without a host of its own, a deploy is no longer served at all.
    if (released.kind === 'deploy') await this.forgetReplaced(released.deploy_id, released.project_id);
    if (released.kind === 'production') await this.notifyProduction(released.project_id);
  }

  /** Deletes what {@link point} remembered for too long. Returns how many. */
  async removeReplaced(limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM replaced_deploys
      WHERE (label, deploy_id) IN (SELECT label, deploy_id FROM replaced_deploys WHERE replaced_at < $1 LIMIT $2)`,
      [this.oldestKept(), limit],
    );
    return count;
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
             protection.password_hash AS "passwordHash",
             ARRAY(
               SELECT replaced.deploy_id FROM replaced_deploys replaced
               WHERE replaced.label = alias.label AND replaced.replaced_at > $2
               ORDER BY replaced.replaced_at DESC
               LIMIT ${MOST_REPLACED}
             ) AS earlier
      FROM host_aliases alias LEFT JOIN app_protections protection ON protection.project_id = alias.project_id
      WHERE ${condition}
      ORDER BY alias.updated_at DESC
      LIMIT 1`,
      [value, this.oldestKept()],
    );
    if (row === undefined) return null;
    const { deployId, orgId, kind, version, earlier } = row;
    return { deployId, orgId, guard: version === null ? undefined : guardOf(kind, { ...row, version }), earlier };
  }

  private oldestKept(): Date {
    return new Date(this.clock.now().getTime() - REPLACED_KEPT_MS);
  }

  /** Remembers which deploy a label has served until now. */
  private async keepReplaced(label: string, before: string, now: string): Promise<void> {
    const { manager } = this.database;
    await manager.query('DELETE FROM replaced_deploys WHERE label = $1 AND deploy_id = $2', [label, now]);
    if (before === now) return;
    await manager.query(
      `
      INSERT INTO replaced_deploys (label, deploy_id, replaced_at) VALUES ($1, $2, $3)
      ON CONFLICT (label, deploy_id) DO UPDATE SET replaced_at = EXCLUDED.replaced_at`,
      [label, before, this.clock.now()],
    );
  }

  private async forgetReplaced(deployId: string, projectId: string): Promise<void> {
    const forgotten = await this.database.manager.query<unknown[]>(
      `
      WITH forgotten AS (DELETE FROM replaced_deploys WHERE deploy_id = $1 RETURNING label)
      SELECT pg_notify($2, label)::text FROM forgotten`,
      [deployId, ALIASES_CHANNEL],
    );
    if (forgotten.length > 0) await this.notifyProduction(projectId);
  }

  private async notifyProduction(projectId: string): Promise<void> {
    await this.database.manager.query('SELECT pg_notify($1, $2)', [ALIASES_CHANNEL, keyOfProduction(projectId)]);
  }
}
