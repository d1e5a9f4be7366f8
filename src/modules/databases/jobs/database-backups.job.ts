import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const databaseArchivesSchedule = defineSchedule({
  name: 'database-archives',
  summary: 'Stores the logs of the project databases that are awake on this host.',
  everyMs: 15_000,
  runsIn: 'each',
  roles: ['databases'],
});

export const databaseBackupsSchedule = defineSchedule({
  name: 'database-backups',
  summary: 'Backs up the project databases of this host, once a day and on request.',
  everyMs: 2_000,
  runsIn: 'each',
  roles: ['databases'],
});

export const expiredDatabaseBackupsSchedule = defineSchedule({
  name: 'expired-database-backups',
  summary: 'Deletes backups of project databases that the plan no longer keeps, and those of removed databases.',
  everyMs: 600_000,
  runsIn: 'one',
});
