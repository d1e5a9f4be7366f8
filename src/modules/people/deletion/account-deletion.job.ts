import { IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';

export class AccountDeletionPayload {
  @IsString() readonly userId!: string;
}

export const accountDeletionJob = defineJob({
  name: 'account-deletion',
  summary: 'Erases what is left of an account that its owner has deleted, and confirms it by mail.',
  payload: AccountDeletionPayload,
  // A mail server may be unavailable for a while. What fails all attempts is taken up by the schedule.
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
});

export const accountDeletionsSchedule = defineSchedule({
  name: 'account-deletions',
  summary: 'Goes on with deletions of accounts that are not completed an hour after their request.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});
