import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { SchedulesStore } from '../persistence/schedules.store.js';
import { scheduleOrgDeletedSubscription } from './schedules.job.js';

@Injectable()
@Handles(scheduleOrgDeletedSubscription)
export class ScheduleOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(private readonly schedules: SchedulesStore) {}

  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    await this.schedules.deleteOfOrg(orgId);
  }
}
