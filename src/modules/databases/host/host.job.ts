import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const databaseActivitySchedule = defineSchedule({
  name: 'database-activity',
  summary: 'Writes which databases of this host are active, idle, frozen or asleep, and their connections.',
  everyMs: 1_000,
  firstAfterMs: 0,
  runsIn: 'each',
  roles: ['databases'],
});

export const databaseSizesSchedule = defineSchedule({
  name: 'database-sizes',
  summary: 'Measures the databases of this host that are awake.',
  everyMs: 60_000,
  runsIn: 'each',
  roles: ['databases'],
});
