import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgEvents } from '../../events/org-events.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Bucket } from '../persistence/bucket-rows.js';

type BucketAction = 'bucket.created' | 'bucket.updated' | 'bucket.deleted';

/** Records what is done with buckets, and announces what members of the organization follow. */
@Injectable()
export class BucketHistory {
  constructor(
    private readonly orgs: OrgDirectory,
    private readonly events: OrgEvents,
  ) {}

  /** Records it in the running transaction. */
  async record(call: Call, action: BucketAction, bucket: Bucket): Promise<void> {
    const { id, orgId, projectId, name, label, visibility, expireAfterDays } = bucket;
    const details = { name, label, visibility, project_id: projectId, expire_after_days: expireAfterDays };
    await this.orgs.record({ orgId, action, target: { type: 'bucket', id }, details }, call);
    if (action === 'bucket.updated') return;
    const data = { bucket_id: id, name, label, ...(projectId === null ? {} : { project_id: projectId }) };
    await this.events.publish({ orgId, type: action, data });
  }
}
