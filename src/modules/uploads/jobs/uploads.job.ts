import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const uploadSweepSchedule = defineSchedule({
  name: 'upload-retention',
  summary: 'Deletes uploads after 7 days, and the stored content of projects that upload nothing any more.',
  everyMs: 3_600_000,
  firstAfterMs: 600_000,
  runsIn: 'each',
});
