import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { ArtifactsStore } from '../persistence/artifacts.store.js';
import { artifactOrgDeletedSubscription } from './artifacts.job.js';

/** The next run of the schedule removes what has expired. */
@Injectable()
@Handles(artifactOrgDeletedSubscription)
export class ArtifactOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly artifacts: ArtifactsStore,
    private readonly clock: Clock,
  ) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    await this.artifacts.expireOfOrg(orgId, this.clock.now());
  }
}
