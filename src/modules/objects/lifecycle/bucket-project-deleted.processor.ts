import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { ProjectDeletedPayload } from '../../projects/project-deleted.job.js';
import { BucketRemoval } from './bucket-removal.js';
import { bucketProjectDeletedSubscription } from './lifecycle.job.js';

@Injectable()
@Handles(bucketProjectDeletedSubscription)
export class BucketProjectDeletedProcessor implements JobHandler<ProjectDeletedPayload> {
  constructor(private readonly removal: BucketRemoval) {}

  handle({ projectId }: ProjectDeletedPayload): Promise<void> {
    return this.removal.leaveProject(projectId);
  }
}
