import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const sessionWatchSchedule = defineSchedule({
  name: 'database-sessions',
  summary: 'Ends connections whose credential was revoked, and records when credentials were last used.',
  everyMs: 2_000,
  runsIn: 'each',
  roles: ['databases'],
});
