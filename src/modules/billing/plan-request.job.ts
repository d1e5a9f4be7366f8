import { IsString } from 'class-validator';
import { defineJob } from '../../platform/background/define-job.js';

/** The request of an organization for a plan has been made, changed or decided. Which of these it was is looked up. */
export class PlanRequestPayload {
  @IsString() readonly orgId!: string;
}

export const planRequestEvent = defineJob({
  name: 'plan-requests',
  payload: PlanRequestPayload,
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 1,
});
