import { IsString } from 'class-validator';
import { defineQueue } from '../../platform/queues/queue-definition.js';

/** An organization was deleted: whoever keeps something of it that others can see lets it go. */
export class OrgDeleted {
  @IsString() readonly orgId!: string;
}

export const orgDeletedQueue = defineQueue({ name: 'org-deleted', payload: OrgDeleted, attempts: 10, backoffMs: 1_000, concurrency: 2 });
