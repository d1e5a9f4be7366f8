import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import { repositoriesOrgDeletedSubscription } from './repositories.job.js';

/** Deletes the repositories of a deleted organization. Their upkeep removes the files. */
@Injectable()
@Handles(repositoriesOrgDeletedSubscription)
export class RepositoriesOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly repositories: RepositoriesStore,
    private readonly clock: Clock,
  ) {}

  handle({ orgId }: OrgDeletedPayload): Promise<void> {
    return this.repositories.deleteAllOf(orgId, this.clock.now());
  }
}
