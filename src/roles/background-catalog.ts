import {
  aiOrgDeletedSubscription,
  keptTextsSchedule,
  lostGenerationsSchedule,
  oldGenerationsSchedule,
  priceSyncSchedule,
} from '../modules/ai/jobs/ai.job.js';
import { BackgroundCatalog } from '../platform/background/background-catalog.js';
import { reencryptionSchedule } from '../platform/secrets/reencryption.job.js';
import { authMailJob } from '../modules/auth/auth-mail.job.js';
import { expiredSessionsSchedule } from '../modules/auth/jobs/auth.job.js';
import { expiredInvitationsSchedule } from '../modules/orgs/jobs/orgs.job.js';
import { expiredEmailTokensSchedule } from '../modules/people/jobs/people.job.js';
import { keyUsageSchedule } from '../modules/auth/keys/keys.job.js';
import { orgDeletedEvent } from '../modules/orgs/org-deleted.job.js';
import {
  monthClosingSchedule,
  overdueInvoicesSchedule,
  plannedChangesSchedule,
} from '../modules/billing/jobs/billing.job.js';
import { paymentEventJob, invoiceMirrorJob } from '../modules/billing/payments/payments.job.js';
import { planRequestEvent } from '../modules/billing/plan-request.job.js';
import { creditsSchedule } from '../modules/credits/jobs/credits.job.js';
import { spendWarningJob } from '../modules/credits/jobs/spend-warning.job.js';
import { projectCronsSchedule, requestedCronsSchedule } from '../modules/crons/jobs/crons.job.js';
import { deployJob } from '../modules/deploys/jobs/deploy.job.js';
import {
  repositoryPushedSubscription,
  projectDeletedSubscription,
  orgDeletedSubscription,
  deployAdmissionSchedule,
} from '../modules/deploys/jobs/deploys.job.js';
import { deployReportJob } from '../modules/deploys/reports/deploy-reports.job.js';
import { deploySweepSchedule } from '../modules/deploys/upkeep/upkeep.job.js';
import { modelAccessProjectDeletedSubscription } from '../modules/ai/jobs/model-access.job.js';
import {
  domainChecksSchedule,
  domainOrgDeletedSubscription,
  domainProjectDeletedSubscription,
} from '../modules/domains/jobs/domains.job.js';
import { oldEventsSchedule, orgEventSubscription } from '../modules/events/jobs/events.job.js';
import { orgEvent } from '../modules/events/org-event.job.js';
import { featureFlagsSchedule } from '../modules/features/jobs/features.job.js';
import { appActivitySchedule, appRecordsSchedule } from '../modules/hosting/jobs/hosting.job.js';
import { githubEvent } from '../modules/github/github-event.job.js';
import {
  usagePartitionsSchedule,
  storageSamplingSchedule,
  usageReconciliationSchedule,
} from '../modules/metering/jobs/metering.job.js';
import { expiredClaimsSchedule, planRequestSubscription } from '../modules/ops/jobs/ops.job.js';
import { projectDeletedEvent } from '../modules/projects/project-deleted.job.js';
import { repositoriesSchedule, githubEventSubscription } from '../modules/repositories/jobs/repositories.job.js';
import { repositoryPushedEvent } from '../modules/repositories/repository-pushed.job.js';
import { overdueExecutionsSchedule, oldExecutionsSchedule } from '../modules/sandbox/executions/executions.job.js';
import { sandboxWorkerSchedule } from '../modules/sandbox/jobs/sandbox-worker.job.js';
import { sandboxJob } from '../modules/sandbox/jobs/sandbox.job.js';
import { uploadSweepSchedule } from '../modules/uploads/jobs/uploads.job.js';
import { webhookNoticeJob } from '../modules/webhooks/jobs/webhook-notice.job.js';
import {
  oldDeliveriesSchedule,
  webhookDeliveriesSchedule,
  webhookEventSubscription,
  webhookOrgDeletedSubscription,
} from '../modules/webhooks/jobs/webhooks.job.js';

/** All background work of the service. A test compares it with the `*.job.ts` files of the modules. */
export const BACKGROUND_CATALOG = new BackgroundCatalog({
  jobs: [
    authMailJob,
    paymentEventJob,
    invoiceMirrorJob,
    spendWarningJob,
    deployJob,
    deployReportJob,
    sandboxJob,
    webhookNoticeJob,
  ],
  events: [orgEvent, orgDeletedEvent, planRequestEvent, githubEvent, projectDeletedEvent, repositoryPushedEvent],
  subscriptions: [
    repositoryPushedSubscription,
    projectDeletedSubscription,
    orgDeletedSubscription,
    domainProjectDeletedSubscription,
    modelAccessProjectDeletedSubscription,
    aiOrgDeletedSubscription,
    domainOrgDeletedSubscription,
    planRequestSubscription,
    githubEventSubscription,
    orgEventSubscription,
    webhookEventSubscription,
    webhookOrgDeletedSubscription,
  ],
  schedules: [
    expiredSessionsSchedule,
    expiredEmailTokensSchedule,
    expiredInvitationsSchedule,
    keyUsageSchedule,
    monthClosingSchedule,
    overdueInvoicesSchedule,
    plannedChangesSchedule,
    creditsSchedule,
    deployAdmissionSchedule,
    deploySweepSchedule,
    appActivitySchedule,
    appRecordsSchedule,
    domainChecksSchedule,
    projectCronsSchedule,
    requestedCronsSchedule,
    featureFlagsSchedule,
    usagePartitionsSchedule,
    storageSamplingSchedule,
    usageReconciliationSchedule,
    expiredClaimsSchedule,
    reencryptionSchedule,
    repositoriesSchedule,
    overdueExecutionsSchedule,
    oldExecutionsSchedule,
    sandboxWorkerSchedule,
    priceSyncSchedule,
    lostGenerationsSchedule,
    oldGenerationsSchedule,
    keptTextsSchedule,
    uploadSweepSchedule,
    oldEventsSchedule,
    webhookDeliveriesSchedule,
    oldDeliveriesSchedule,
  ],
});
