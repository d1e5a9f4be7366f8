import { IsOptional, IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';

/** Notifies the owners of an organization. Each owner gets a job, so that a failed mail does not repeat the others. */
export class OrgDomainNoticePayload {
  @IsString() readonly orgId!: string;
  @IsString() readonly domainId!: string;
  /** The owner to notify. The first job has none and adds one job for each owner. */
  @IsOptional() @IsString() readonly ownerId?: string;
}

export const orgDomainNoticeJob = defineJob({
  name: 'org-domain-notices',
  summary: 'Tells the owners of an organization by e-mail that one of its domains was paused.',
  payload: OrgDomainNoticePayload,
  // A mail server may be unavailable for a while: the last attempt comes about four minutes after the first.
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
});
