import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const appActivitySchedule = defineSchedule({
  name: 'app-activity',
  summary: 'Writes what happened to the deploys that this process serves: requests, errors, durations and memory.',
  everyMs: 10_000,
  firstAfterMs: 0,
  runsIn: 'each',
  roles: ['edge'],
});

export const appRecordsSchedule = defineSchedule({
  name: 'app-records',
  summary: 'Deletes metrics of apps that are older than 7 days, and lines of deploys that are no longer stored.',
  everyMs: 10 * 60_000,
  firstAfterMs: 120_000,
  runsIn: 'one',
});
