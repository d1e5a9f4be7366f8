import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const overdueExecutionsSchedule = defineSchedule({
  name: 'overdue-executions',
  summary: 'Gives up executions that should have ended but whose end no worker reported.',
  everyMs: 2_000,
  runsIn: 'each',
  roles: ['api', 'worker'],
});

export const oldExecutionsSchedule = defineSchedule({
  name: 'old-executions',
  summary: 'Deletes executions that are older than 30 days.',
  everyMs: 5 * 60_000,
  runsIn: 'one',
});
