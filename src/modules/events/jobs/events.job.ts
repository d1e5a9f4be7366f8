import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgEvent } from '../org-event.job.js';

export const orgEventSubscription = defineSubscription(orgEvent, {
  name: 'org-events',
  summary: 'Stores what happens in organizations for their event streams.',
  attempts: 10,
  backoffMs: 500,
  // One after the other, so that events are stored in the order in which they happened.
  concurrency: 1,
});

export const oldEventsSchedule = defineSchedule({
  name: 'old-org-events',
  summary: 'Deletes stored events of organizations after 24 hours.',
  everyMs: 600_000,
  runsIn: 'one',
});
