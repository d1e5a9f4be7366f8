import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const expiredSessionsSchedule = defineSchedule({
  name: 'expired-sessions',
  summary: 'Deletes sessions, and sign-ins that were not completed, that ended more than 30 days ago.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});
