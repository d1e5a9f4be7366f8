import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** An agent that the plan has paused or resumed. */
export interface PlanPause {
  readonly id: string;
  readonly orgId: string;
  readonly state: 'active' | 'paused';
}

/** How many agents of an organization may be active. A limit of null means unlimited. */
export interface AgentAllowance {
  readonly orgId: string;
  readonly limit: number | null;
}

@Injectable()
export class AgentPlanRoomStore {
  constructor(private readonly database: Database) {}

  /**
   * Returns organizations after this id that a plan may concern: with an agent that a plan has paused, or with more
   * active ones than the smallest limit.
   */
  async candidates(after: string, smallest: number, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ orgId: string }[]>(
      `SELECT org_id AS "orgId" FROM agents WHERE deleted_at IS NULL AND org_id > $1 GROUP BY org_id
       HAVING bool_or(paused_because = 'plan') OR count(*) FILTER (WHERE state = 'active') > $2
       ORDER BY org_id LIMIT $3`,
      [after, smallest, limit],
    );
    return rows.map(({ orgId }) => orgId);
  }

  /**
   * Pauses the newest agents beyond the limits, and resumes the oldest that a plan has paused where there is room.
   * Agents that people have paused stay so, and take no room.
   */
  async fit(allowances: readonly AgentAllowance[], at: Date): Promise<PlanPause[]> {
    const [changed] = await this.database.manager.query<[PlanPause[], number]>(
      `WITH allowed AS (SELECT * FROM unnest($1::text[], $2::int[]) AS allowed (org_id, most)),
       ranked AS (
         SELECT a.id, a.state, row_number() OVER (PARTITION BY a.org_id ORDER BY a.id) <= coalesce(most, 2147483647)
           AS fits
         FROM agents a JOIN allowed USING (org_id)
         WHERE a.deleted_at IS NULL AND a.paused_because IS DISTINCT FROM 'person')
       UPDATE agents SET state = CASE WHEN fits THEN 'active' ELSE 'paused' END,
         paused_because = CASE WHEN fits THEN NULL ELSE 'plan' END, updated_at = $3
       FROM ranked
       WHERE agents.id = ranked.id AND agents.state = ranked.state AND (ranked.state = 'active') <> fits
         AND agents.deleted_at IS NULL AND agents.paused_because IS DISTINCT FROM 'person'
       RETURNING agents.id, agents.org_id AS "orgId", agents.state`,
      [allowances.map(({ orgId }) => orgId), allowances.map(({ limit }) => limit), at],
    );
    return changed;
  }
}
