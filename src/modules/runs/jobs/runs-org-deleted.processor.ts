import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { RunsStore } from '../persistence/runs.store.js';
import { RunEndsService } from '../run-ends.service.js';
import { runsOrgDeletedSubscription } from './runs.job.js';

const BATCH = 200;

@Injectable()
@Handles(runsOrgDeletedSubscription)
export class RunsOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly runs: RunsStore,
    private readonly ends: RunEndsService,
  ) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    for (;;) {
      const ids = await this.runs.activeIdsOf({ orgId }, BATCH);
      if (ids.length === 0) return;
      await this.ends.cancel(orgId, ids, 'The organization was deleted.');
    }
  }
}
