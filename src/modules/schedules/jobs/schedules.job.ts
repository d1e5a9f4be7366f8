import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { agentDeletedEvent } from '../../agents/agent-deleted.job.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const dueSchedulesSchedule = defineSchedule({
  name: 'agent-schedules',
  summary: 'Starts the runs of agent schedules that are due.',
  everyMs: 1_000,
  runsIn: 'each',
});

export const planPausesSchedule = defineSchedule({
  name: 'agent-schedules-of-plans',
  summary: 'Pauses agent schedules that a smaller plan does not include, and resumes those that fit again.',
  everyMs: 60_000,
  runsIn: 'one',
});

export const oldFiresSchedule = defineSchedule({
  name: 'old-schedule-fires',
  summary: 'Deletes what came of the times of agent schedules after 90 days.',
  everyMs: 3_600_000,
  runsIn: 'one',
});

export const scheduleAgentDeletedSubscription = defineSubscription(agentDeletedEvent, {
  name: 'schedule-agent-deleted',
  summary: 'Deletes the schedules of a deleted agent.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});

export const scheduleOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'schedule-org-deleted',
  summary: 'Deletes the schedules of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
