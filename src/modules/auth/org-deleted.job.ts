import { IsString } from 'class-validator';
import { defineJob } from '../../platform/background/define-job.js';

/** An organization was deleted: whoever keeps something of it that others can see lets it go. */
export class OrgDeletedPayload {
  @IsString() readonly orgId!: string;
}

export const orgDeletedEvent = defineJob({ name: 'org-deleted', payload: OrgDeletedPayload, attempts: 10, backoffMs: 1_000, concurrency: 2 });
