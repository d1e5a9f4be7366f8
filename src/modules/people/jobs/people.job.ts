import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const expiredEmailTokensSchedule = defineSchedule({
  name: 'expired-email-tokens',
  summary: 'Deletes email tokens that ended more than 30 days ago.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});
