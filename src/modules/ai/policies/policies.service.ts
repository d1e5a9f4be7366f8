import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { DEFAULT_POLICY, type ModelPolicy } from '../domain/model-policy.js';
import { AiPoliciesStore } from '../persistence/ai-policies.store.js';
import { ContentsRemoval } from '../retention/contents-removal.js';

/** A policy, with when it was set. Undefined means that it is the default. */
export type ShownPolicy = ModelPolicy & { readonly updatedAt?: Date };

/** What organizations allow their own calls of models. */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly database: Database,
    private readonly policies: AiPoliciesStore,
    private readonly removal: ContentsRemoval,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  async get({ org }: Call): Promise<ShownPolicy> {
    return (await this.policies.find(org.id)) ?? DEFAULT_POLICY;
  }

  /** Replaces the policy. It holds from the next call on. Without retention, all kept texts are deleted. */
  async set(call: Call, policy: ModelPolicy): Promise<ShownPolicy> {
    const updatedAt = this.clock.now();
    await this.change(call, 'ai_policy.set', policy, () => this.policies.set(call.org.id, policy, updatedAt));
    return { ...policy, updatedAt };
  }

  /** Returns to the default policy, and deletes all kept texts. */
  delete(call: Call): Promise<void> {
    return this.change(call, 'ai_policy.deleted', DEFAULT_POLICY, () => this.policies.delete(call.org.id));
  }

  private async change(
    call: Call,
    action: 'ai_policy.set' | 'ai_policy.deleted',
    { allowedModels, deniedModels, zeroRetentionOnly, blocksSecrets, retentionDays }: ModelPolicy,
    write: () => Promise<void>,
  ): Promise<void> {
    const orgId = call.org.id;
    await this.database.transaction(async () => {
      await this.orgs.lockAndGetPlan(call, orgId);
      await write();
      const details = {
        allowed_models: allowedModels?.join(' ') ?? null,
        denied_models: deniedModels.join(' '),
        zero_retention_only: zeroRetentionOnly,
        blocks_secrets: blocksSecrets,
        retention_days: retentionDays,
      };
      await this.orgs.record({ orgId, action, target: { type: 'organization', id: orgId }, details }, call);
    });
    // From here on nothing is added and nothing is shown.
    if (retentionDays === null) await this.removal.removeOf(orgId);
  }
}
