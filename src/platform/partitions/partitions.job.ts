import { defineSchedule } from '../background/define-schedule.js';

export const partitionsSchedule = defineSchedule({
  name: 'partitions',
  summary:
    'Creates the partitions of this month and of the two that follow, of each table that has one for each month.',
  everyMs: 600_000,
  firstAfterMs: 5_000,
  // Each process reports what it found. A gauge that only another process corrects would stay wrong here.
  runsIn: 'each',
});

export const oldPartitionsSchedule = defineSchedule({
  name: 'old-partitions',
  summary: 'Archives months that a table no longer keeps, and drops partitions that are archived or empty.',
  everyMs: 3_600_000,
  firstAfterMs: 300_000,
  runsIn: 'one',
});
