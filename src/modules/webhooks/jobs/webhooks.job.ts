import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { auditRecordedEvent } from '../../audit/audit-recorded.job.js';
import { orgEvent } from '../../events/org-event.job.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const webhookEventSubscription = defineSubscription(orgEvent, {
  name: 'webhook-events',
  summary: 'Adds a delivery of an event for each webhook endpoint that wants it.',
  attempts: 10,
  backoffMs: 500,
  concurrency: 4,
});

export const webhookAuditSubscription = defineSubscription(auditRecordedEvent, {
  name: 'webhook-audit',
  summary: 'Adds a delivery of an entry of an audit log for each webhook endpoint that asks for them.',
  attempts: 10,
  backoffMs: 500,
  concurrency: 4,
});

export const webhookOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'webhook-org-deleted',
  summary: 'Deletes the webhook endpoints of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});

export const webhookDeliveriesSchedule = defineSchedule({
  name: 'webhook-deliveries',
  summary: 'Sends the webhooks that are due, a few of each organization at once.',
  everyMs: 1_000,
  firstAfterMs: 0,
  runsIn: 'one',
});

export const oldDeliveriesSchedule = defineSchedule({
  name: 'old-webhook-deliveries',
  summary: 'Deletes the records of webhook deliveries after 7 days.',
  everyMs: 3_600_000,
  runsIn: 'one',
});
