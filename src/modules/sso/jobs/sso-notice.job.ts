import { IsIn, IsOptional, IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';

const SSO_NOTICE_KINDS = ['requirement_lifted', 'plan_lost', 'certificate_expires', 'other_provider'] as const;
export type SsoNoticeKind = (typeof SSO_NOTICE_KINDS)[number];

/** Notifies the owners of an organization. Each owner gets a job, so that a failed mail does not repeat the others. */
export class SsoNoticePayload {
  @IsString() readonly orgId!: string;
  @IsIn(SSO_NOTICE_KINDS) readonly kind!: SsoNoticeKind;
  /** The connection, for notices of one. */
  @IsOptional() @IsString() readonly connectionId?: string;
  /** The owner to notify. The first job has none and adds one job for each owner. */
  @IsOptional() @IsString() readonly ownerId?: string;
}

export const ssoNoticeJob = defineJob({
  name: 'sso-notices',
  summary: 'Tells the owners of an organization by e-mail what has happened to its SSO connections.',
  payload: SsoNoticePayload,
  // A mail server may be unavailable for a while: the last attempt comes about four minutes after the first.
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
});
