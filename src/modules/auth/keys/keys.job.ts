import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const keyUsageSchedule = defineSchedule({
  name: 'key-usage',
  summary: 'Writes when and from where API keys were last used in this process.',
  everyMs: 5_000,
  runsIn: 'each',
  roles: ['api', 'edge', 'worker'],
});
