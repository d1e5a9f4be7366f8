import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { PlanId } from '../../plans/plan.js';

/** A larger plan that an organization has chosen and an operator has not decided on yet. */
export interface PlanRequest {
  readonly orgId: string;
  readonly plan: PlanId;
  readonly requestedAt: Date;
}

/** Callers that change the request of an organization have locked the organization. */
@Injectable()
export class PlanRequestsStore {
  constructor(private readonly database: Database) {}

  async find(orgId: string): Promise<PlanRequest | undefined> {
    const [row] = await this.database.manager.query<PlanRequest[]>(
      'SELECT org_id AS "orgId", plan, requested_at AS "requestedAt" FROM plan_requests WHERE org_id = $1',
      [orgId],
    );
    return row;
  }

  async save({ orgId, plan, requestedAt }: PlanRequest): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO plan_requests (org_id, plan, requested_at) VALUES ($1, $2, $3)
      ON CONFLICT (org_id) DO UPDATE SET plan = excluded.plan, requested_at = excluded.requested_at`,
      [orgId, plan, requestedAt],
    );
  }

  async delete(orgId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM plan_requests WHERE org_id = $1', [orgId]);
  }
}
