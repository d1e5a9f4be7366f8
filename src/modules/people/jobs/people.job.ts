import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const emailChangesSchedule = defineSchedule({
  name: 'email-changes',
  summary:
    'Reminds of changes of email addresses, makes those that the old address left unanswered for 48 hours, and ' +
    'deletes those that ended more than 30 days ago.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const expiredEmailTokensSchedule = defineSchedule({
  name: 'expired-email-tokens',
  summary: 'Deletes email tokens that ended more than 30 days ago.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});
