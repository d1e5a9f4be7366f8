import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const expiredInvitationsSchedule = defineSchedule({
  name: 'expired-invitations',
  summary: 'Deletes invitations that ended more than 30 days ago.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});
