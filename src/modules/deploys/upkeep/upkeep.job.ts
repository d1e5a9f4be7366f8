import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const deploySweepSchedule = defineSchedule({
  name: 'deploy-retention',
  summary: 'Deletes the files of deploys that no retention rule keeps, and build logs older than 90 days.',
  everyMs: 3_600_000,
  firstAfterMs: 300_000,
  runsIn: 'each',
});
