import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const expiredCredentialsSchedule = defineSchedule({
  name: 'expired-credentials',
  summary: 'Deletes sessions, e-mail tokens and invitations that expired 30 days ago.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});
