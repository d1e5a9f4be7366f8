import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ModelPolicy } from '../domain/model-policy.js';

/** The policy of an organization that has set one. */
export interface StoredPolicy extends ModelPolicy {
  readonly updatedAt: Date;
}

export interface PolicyRow {
  readonly allowed_models: string[] | null;
  readonly denied_models: string[];
  readonly zero_retention_only: boolean;
  readonly blocks_secrets: boolean;
  readonly retention_days: number | null;
}

@Injectable()
export class AiPoliciesStore {
  constructor(private readonly database: Database) {}

  async find(orgId: string): Promise<StoredPolicy | undefined> {
    const [row] = await this.query<PolicyRow & { updated_at: Date }>('SELECT * FROM ai_policies WHERE org_id = $1', [
      orgId,
    ]);
    return row && { ...policyOf(row), updatedAt: row.updated_at };
  }

  async set(orgId: string, policy: ModelPolicy, at: Date): Promise<void> {
    await this.query(
      `
      INSERT INTO ai_policies (org_id, allowed_models, denied_models, zero_retention_only, blocks_secrets,
        retention_days, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (org_id) DO UPDATE SET allowed_models = excluded.allowed_models,
        denied_models = excluded.denied_models, zero_retention_only = excluded.zero_retention_only,
        blocks_secrets = excluded.blocks_secrets, retention_days = excluded.retention_days,
        updated_at = excluded.updated_at`,
      [
        orgId,
        policy.allowedModels,
        policy.deniedModels,
        policy.zeroRetentionOnly,
        policy.blocksSecrets,
        policy.retentionDays,
        at,
      ],
    );
  }

  async delete(orgId: string): Promise<void> {
    await this.query('DELETE FROM ai_policies WHERE org_id = $1', [orgId]);
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}

export const policyOf = (row: PolicyRow): ModelPolicy => ({
  allowedModels: row.allowed_models,
  deniedModels: row.denied_models,
  zeroRetentionOnly: row.zero_retention_only,
  blocksSecrets: row.blocks_secrets,
  retentionDays: row.retention_days,
});
