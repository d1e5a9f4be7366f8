import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { BucketRemoval } from './bucket-removal.js';
import { bucketOrgDeletedSubscription } from './lifecycle.job.js';

@Injectable()
@Handles(bucketOrgDeletedSubscription)
export class BucketOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(private readonly removal: BucketRemoval) {}

  handle({ orgId }: OrgDeletedPayload): Promise<void> {
    return this.removal.removeOfOrg(orgId);
  }
}
