import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { AiPoliciesStore } from '../persistence/ai-policies.store.js';
import { ProviderKeysStore } from '../persistence/provider-keys.store.js';
import { ContentsRemoval } from '../retention/contents-removal.js';
import { aiOrgDeletedSubscription } from './ai.job.js';

@Injectable()
@Handles(aiOrgDeletedSubscription)
export class AiOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly policies: AiPoliciesStore,
    private readonly keys: ProviderKeysStore,
    private readonly removal: ContentsRemoval,
  ) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    // The policy is first: without it, calls that still run leave no text behind.
    await this.policies.delete(orgId);
    await this.keys.deleteOf(orgId);
    await this.removal.removeOf(orgId);
  }
}
