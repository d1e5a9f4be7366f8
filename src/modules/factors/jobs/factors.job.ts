import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const factorRecoveriesSchedule = defineSchedule({
  name: 'factor-recoveries',
  summary: 'Reminds of recoveries of second factors, and completes those that are 48 hours old.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const spentChallengesSchedule = defineSchedule({
  name: 'spent-challenges',
  summary: 'Deletes challenges of passkeys that expired more than 30 days ago.',
  everyMs: 60 * 60_000,
  runsIn: 'one',
});
