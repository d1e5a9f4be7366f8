import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { AiPoliciesStore } from '../persistence/ai-policies.store.js';
import { RetentionModule } from '../retention/retention.module.js';
import { PoliciesService } from './policies.service.js';

/** What organizations allow their own calls of models. */
@Module({
  imports: [OrgDirectoryModule, RetentionModule],
  providers: [AiPoliciesStore, PoliciesService],
  exports: [AiPoliciesStore, PoliciesService],
})
export class PoliciesModule {}
