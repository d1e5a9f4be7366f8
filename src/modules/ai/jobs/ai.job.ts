import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const priceSyncSchedule = defineSchedule({
  name: 'model-prices',
  summary: 'Takes over the models and prices of the model routers, each once an hour.',
  everyMs: 60_000,
  // A newcomer calls a model within seconds after the start.
  firstAfterMs: 500,
  runsIn: 'one',
});

export const lostGenerationsSchedule = defineSchedule({
  name: 'lost-generations',
  summary: 'Settles answers of models whose process was lost, by what the router says that they used.',
  everyMs: 60_000,
  runsIn: 'one',
});

export const oldGenerationsSchedule = defineSchedule({
  name: 'old-generations',
  summary: 'Deletes the records of generations that are older than 90 days.',
  everyMs: 60 * 60_000,
  runsIn: 'one',
});

export const keptTextsSchedule = defineSchedule({
  name: 'kept-generation-texts',
  summary: 'Deletes texts of generations after the days that their organization has set.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const aiOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'ai-org-deleted',
  summary: 'Deletes the provider keys, the policy and the kept texts of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});
