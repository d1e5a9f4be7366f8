import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';
import { orgPlanChangedEvent } from '../../orgs/org-plan-changed.job.js';

export const orgDomainChecksSchedule = defineSchedule({
  name: 'org-domain-checks',
  summary: 'Checks the records of verified domains of organizations each week, and pauses those that miss two checks.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const ssoOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'org-deleted-sso',
  summary: 'Frees the verified domains of a deleted organization, and deletes its SSO connections.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});

export const ssoPlanChangedSubscription = defineSubscription(orgPlanChangedEvent, {
  name: 'org-plan-changed-sso',
  summary: 'Pauses the SSO connections of an organization whose plan includes no SSO any more.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 2,
});

export const ssoMetadataSchedule = defineSchedule({
  name: 'sso-metadata',
  summary: 'Reads the metadata of SSO connections with a metadata URL again each day, and takes new certificates.',
  everyMs: 3_600_000,
  runsIn: 'one',
});

export const ssoCertificatesSchedule = defineSchedule({
  name: 'sso-certificates',
  summary: 'Tells owners 30 and 7 days before the last certificate of an active SSO connection expires.',
  everyMs: 3_600_000,
  runsIn: 'one',
});
