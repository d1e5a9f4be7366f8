import { IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';
import type { WarningLevel } from '../purse/spend-warning.js';

/**
 * A warning to send: to every owner, each by a job of its own, so that one whose mail fails is not sent to the others
 * again.
 */
export class SpendWarningPayload {
  @IsString() readonly orgId!: string;
  @IsString() readonly month!: string;
  @IsInt() @IsIn([50, 80, 100]) readonly level!: WarningLevel;
  /** Undefined: to be told to each owner there is. */
  @IsOptional() @IsString() readonly ownerId?: string;
}

export const spendWarningJob = defineJob({
  name: 'spend-warnings',
  summary: 'Warns the owners of an organization that a part of its spend cap is used.',
  payload: SpendWarningPayload,
  // A mail server may be away for a while: the last try comes about four minutes after the first.
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
});
