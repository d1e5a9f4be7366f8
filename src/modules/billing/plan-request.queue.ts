import { IsString } from 'class-validator';
import { defineQueue } from '../../platform/queues/queue-definition.js';

/** The request of an organization for a plan has been made, changed or decided. Which of these it was is looked up. */
export class PlanRequestJob {
  @IsString() readonly orgId!: string;
}

export const planRequestQueue = defineQueue({
  name: 'plan-requests',
  payload: PlanRequestJob,
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 1,
});
