import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const swarmLeasesSchedule = defineSchedule({
  name: 'swarm-leases',
  summary: 'Ends claims of swarm tasks that were not renewed in time.',
  everyMs: 1_000,
  firstAfterMs: 0,
  runsIn: 'one',
});

export const swarmTurnsSchedule = defineSchedule({
  name: 'swarm-turns',
  summary: 'Starts workers for open tasks of swarms, wakes coordinators, and cancels the runs of swarms that are over.',
  everyMs: 1_000,
  firstAfterMs: 0,
  runsIn: 'one',
});

export const oldSwarmsSchedule = defineSchedule({
  name: 'old-swarms',
  summary: 'Deletes swarms that ended 90 days ago, with their boards.',
  everyMs: 3_600_000,
  firstAfterMs: 60_000,
  runsIn: 'one',
});

export const swarmReviewsSchedule = defineSchedule({
  name: 'swarm-reviews',
  summary: 'Looks again at swarms with open tasks, whose plan or agents may have changed.',
  everyMs: 60_000,
  runsIn: 'one',
});
