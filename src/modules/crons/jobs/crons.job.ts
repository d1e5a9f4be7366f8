import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const requestedCronsSchedule = defineSchedule({
  name: 'requested-crons',
  summary: 'Sends the requests of project crons that people run now.',
  everyMs: 1_000,
  runsIn: 'one',
  roles: ['edge'],
});

export const projectCronsSchedule = defineSchedule({
  name: 'project-crons',
  summary: 'Sends the requests of project crons that are due to the production deploys.',
  everyMs: 10_000,
  runsIn: 'one',
  // The requests enter where those of visitors do, so apps are woken and served as always.
  roles: ['edge'],
});
