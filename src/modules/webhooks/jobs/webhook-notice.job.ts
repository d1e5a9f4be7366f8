import { IsOptional, IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';

/** Tells the owners of an organization. Each owner gets a job, so that a failed mail does not repeat the others. */
export class WebhookNoticePayload {
  @IsString() readonly orgId!: string;
  @IsString() readonly endpointId!: string;
  /** The owner to tell. The first job has none and adds one job for each owner. */
  @IsOptional() @IsString() readonly ownerId?: string;
}

export const webhookNoticeJob = defineJob({
  name: 'webhook-notices',
  summary: 'Tells the owners of an organization by e-mail that a webhook endpoint was paused.',
  payload: WebhookNoticePayload,
  // A mail server may be unavailable for a while: the last attempt comes about four minutes after the first.
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
});
