import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { Agent } from '../domain/agent.js';
import { AgentSlugTaken } from '../agents.errors.js';

/** The organizations whose agents a caller can address. */
export interface AgentReach {
  /** Agents of these organizations can be addressed by id. */
  readonly orgIds: readonly string[];
  /** Agents of this organization can be addressed by slug as well. */
  readonly orgId: string;
}

/** The form of ids and slugs. Other texts cannot match any agent and are not sent to the database. */
const ID_OR_SLUG_FORM = /^[a-z0-9_-]{1,63}$/;

const COLUMNS = `
  id, org_id AS "orgId", name, slug, description, state, paused_because AS "pausedBecause",
  live_version AS "liveVersion", last_version AS "lastVersion", created_at AS "createdAt", updated_at AS "updatedAt",
  created_by AS "createdBy"`;

@Injectable()
export class AgentsStore {
  constructor(private readonly database: Database) {}

  /** @throws {AgentSlugTaken} `already_exists` */
  async insert(agent: Agent): Promise<void> {
    const { id, orgId, name, slug, description, createdAt, createdBy } = agent;
    try {
      await this.sql(
        `INSERT INTO agents
           (id, org_id, name, slug, description, state, live_version, last_version, created_at, updated_at, created_by)
         VALUES ($1, $2, $3, $4, $5, 'active', 1, 1, $6, $6, $7)`,
        [id, orgId, name, slug, description, createdAt, createdBy],
      );
    } catch (error) {
      throw violatedConstraintOf(error) === 'agents_slug_unique' ? new AgentSlugTaken(slug) : error;
    }
  }

  async save(agent: Agent): Promise<void> {
    const { id, name, description, state, pausedBecause, liveVersion, lastVersion, updatedAt } = agent;
    await this.sql(
      `UPDATE agents SET name = $2, description = $3, state = $4, paused_because = $5, live_version = $6,
         last_version = $7, updated_at = $8
       WHERE id = $1`,
      [id, name, description, state, pausedBecause, liveVersion, lastVersion, updatedAt],
    );
  }

  /** The row stays for runs that refer to it; the slug is free again. */
  async markDeleted(id: string, at: Date): Promise<void> {
    await this.sql('UPDATE agents SET deleted_at = $2, updated_at = $2 WHERE id = $1', [id, at]);
  }

  /** Finds an agent by id or slug. Returns undefined for one out of reach or deleted, as for one that never existed. */
  async find(idOrSlug: string, reach: AgentReach): Promise<Agent | undefined> {
    return this.addressed(idOrSlug, reach, '');
  }

  /** Finds like {@link find}, and locks the agent until the transaction ends. */
  async lock(idOrSlug: string, reach: AgentReach): Promise<Agent | undefined> {
    return this.addressed(idOrSlug, reach, 'FOR NO KEY UPDATE');
  }

  /** Locks an agent for work without a caller. */
  async lockById(orgId: string, id: string): Promise<Agent | undefined> {
    return this.lock(id, { orgIds: [orgId], orgId });
  }

  /** Newest first. */
  async list(orgId: string, page: PageRequest): Promise<Page<Agent>> {
    const rows = await this.sql<Agent>(
      `SELECT ${COLUMNS} FROM agents
       WHERE org_id = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [orgId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  async count(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM agents WHERE org_id = $1 AND deleted_at IS NULL',
      [orgId],
    );
    return row!.n;
  }

  async countActive(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM agents WHERE org_id = $1 AND deleted_at IS NULL AND state = 'active'`,
      [orgId],
    );
    return row!.n;
  }

  async countActiveBefore({ orgId, id }: { orgId: string; id: string }): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM agents
       WHERE org_id = $1 AND deleted_at IS NULL AND state = 'active' AND id < $2`,
      [orgId, id],
    );
    return row!.n;
  }

  async slugsOf(orgId: string): Promise<ReadonlySet<string>> {
    const rows = await this.sql<{ slug: string }>('SELECT slug FROM agents WHERE org_id = $1 AND deleted_at IS NULL', [
      orgId,
    ]);
    return new Set(rows.map(({ slug }) => slug));
  }

  async idsOf(orgId: string): Promise<string[]> {
    const rows = await this.sql<{ id: string }>(
      'SELECT id FROM agents WHERE org_id = $1 AND deleted_at IS NULL ORDER BY id',
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  private async addressed(idOrSlug: string, { orgIds, orgId }: AgentReach, lock: string): Promise<Agent | undefined> {
    if (!ID_OR_SLUG_FORM.test(idOrSlug)) return undefined;
    // A slug cannot be mistaken for an id, which contains an underscore.
    const [row] = await this.sql<Agent>(
      `SELECT ${COLUMNS} FROM agents
       WHERE org_id = ANY($1) AND deleted_at IS NULL AND (id = $2 OR (slug = $2 AND org_id = $3)) ${lock}`,
      [orgIds, idOrSlug, orgId],
    );
    return row;
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
