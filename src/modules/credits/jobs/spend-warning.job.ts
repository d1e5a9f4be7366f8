import { IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';
import type { WarningLevel } from '../purse/spend-warning.js';

/** Warns the owners of an organization. Each owner gets a job, so that a failed mail does not repeat the others. */
export class SpendWarningPayload {
  @IsString() readonly orgId!: string;
  @IsString() readonly month!: string;
  @IsInt() @IsIn([50, 80, 100]) readonly level!: WarningLevel;
  /** The owner to warn. The first job has none and adds one job for each owner. */
  @IsOptional() @IsString() readonly ownerId?: string;
}

export const spendWarningJob = defineJob({
  name: 'spend-warnings',
  summary: 'Warns the owners of an organization that a part of its spend cap is used.',
  payload: SpendWarningPayload,
  // A mail server may be unavailable for a while: the last attempt comes about four minutes after the first.
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
});
