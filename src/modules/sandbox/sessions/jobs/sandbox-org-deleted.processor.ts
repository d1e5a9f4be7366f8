import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../../platform/background/define-job.js';
import { Handles } from '../../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../../orgs/org-deleted.job.js';
import { SessionEnds } from '../session-ends.js';
import { sandboxOrgDeletedSubscription } from './sessions.job.js';

@Injectable()
@Handles(sandboxOrgDeletedSubscription)
export class SandboxOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(private readonly ends: SessionEnds) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    await this.ends.endAllOf(orgId);
  }
}
