import { agentDeletedEvent } from '../modules/agents/agent-deleted.job.js';
import { agentOrgDeletedSubscription, agentsBeyondPlanSchedule } from '../modules/agents/jobs/agents.job.js';
import {
  aiOrgDeletedSubscription,
  keptTextsSchedule,
  lostGenerationsSchedule,
  oldGenerationsSchedule,
  priceSyncSchedule,
} from '../modules/ai/jobs/ai.job.js';
import { BackgroundCatalog } from '../platform/background/background-catalog.js';
import { oldPartitionsSchedule, partitionsSchedule } from '../platform/partitions/partitions.job.js';
import { reencryptionSchedule } from '../platform/secrets/reencryption.job.js';
import { authMailJob } from '../modules/auth/auth-mail.job.js';
import { expiredOauthSchedule, oauthSigningKeysSchedule } from '../modules/oauth/jobs/oauth.job.js';
import { externalSignInsSchedule } from '../modules/identities/jobs/identities.job.js';
import { factorRecoveriesSchedule, spentChallengesSchedule } from '../modules/factors/jobs/factors.job.js';
import { expiredSessionsSchedule } from '../modules/auth/jobs/auth.job.js';
import { expiredInvitationsSchedule } from '../modules/orgs/jobs/orgs.job.js';
import { accountDeletionJob, accountDeletionsSchedule } from '../modules/people/deletion/account-deletion.job.js';
import { emailChangesSchedule, expiredEmailTokensSchedule } from '../modules/people/jobs/people.job.js';
import { projectsOrgDeletedSubscription } from '../modules/projects/jobs/projects.job.js';
import { keyUsageSchedule } from '../modules/auth/keys/keys.job.js';
import { auditRecordedEvent } from '../modules/audit/audit-recorded.job.js';
import { orgDeletedEvent } from '../modules/orgs/org-deleted.job.js';
import { orgPlanChangedEvent } from '../modules/orgs/org-plan-changed.job.js';
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
import { databaseActivitySchedule, databaseSizesSchedule } from '../modules/databases/host/host.job.js';
import {
  databaseArchivesSchedule,
  databaseBackupsSchedule,
  expiredDatabaseBackupsSchedule,
} from '../modules/databases/jobs/database-backups.job.js';
import {
  databaseQuotasSchedule,
  databasesOrgDeletedSubscription,
  databasesProjectDeletedSubscription,
  deletedDatabasesSchedule,
  lostCreationsSchedule,
  oldOperationsSchedule,
  unusedBranchesSchedule,
} from '../modules/databases/jobs/databases.job.js';
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
import { sessionWatchSchedule } from '../modules/databases/wire/wire.job.js';
import { githubEvent } from '../modules/github/github-event.job.js';
import { storageSamplingSchedule, usageReconciliationSchedule } from '../modules/metering/jobs/metering.job.js';
import { expiredClaimsSchedule, planRequestSubscription } from '../modules/ops/jobs/ops.job.js';
import { accessKeyUsageSchedule, expiredAccessKeysSchedule } from '../modules/objects/access-keys/access-keys.job.js';
import {
  bucketOrgDeletedSubscription,
  bucketProjectDeletedSubscription,
  expiredObjectsSchedule,
} from '../modules/objects/lifecycle/lifecycle.job.js';
import { projectDeletedEvent } from '../modules/projects/project-deleted.job.js';
import {
  githubEventSubscription,
  repositoriesOrgDeletedSubscription,
  repositoriesSchedule,
} from '../modules/repositories/jobs/repositories.job.js';
import { repositoryPushedEvent } from '../modules/repositories/repository-pushed.job.js';
import {
  artifactOrgDeletedSubscription,
  expiredArtifactsSchedule,
} from '../modules/sandbox/artifacts/artifacts.job.js';
import { overdueExecutionsSchedule, oldExecutionsSchedule } from '../modules/sandbox/executions/executions.job.js';
import {
  agentRunsSchedule,
  approvalMailJob,
  expiredApprovalsSchedule,
  oldRunsSchedule,
  runsAgentDeletedSubscription,
  runsOrgDeletedSubscription,
} from '../modules/runs/jobs/runs.job.js';
import { sandboxWorkerSchedule } from '../modules/sandbox/jobs/sandbox-worker.job.js';
import { oldPackageLocksSchedule } from '../modules/sandbox/packages/old-package-locks.job.js';
import { packagesJob } from '../modules/sandbox/jobs/packages.job.js';
import { sandboxJob } from '../modules/sandbox/jobs/sandbox.job.js';
import { sessionStartJob } from '../modules/sandbox/sessions/jobs/session-start.job.js';
import {
  heldSessionsSchedule,
  lostSessionsSchedule,
  oldSessionsSchedule,
  sandboxOrgDeletedSubscription,
} from '../modules/sandbox/sessions/jobs/sessions.job.js';
import {
  dueSchedulesSchedule,
  oldFiresSchedule,
  planPausesSchedule,
  scheduleAgentDeletedSubscription,
  scheduleOrgDeletedSubscription,
} from '../modules/schedules/jobs/schedules.job.js';
import {
  oldSwarmsSchedule,
  swarmLeasesSchedule,
  swarmReviewsSchedule,
  swarmTurnsSchedule,
} from '../modules/swarms/jobs/swarms.job.js';
import {
  blobScrubSchedule,
  doomedBlobsSchedule,
  expiredObjectUploadsSchedule,
  storageReservationsSchedule,
} from '../modules/objects/jobs/objects.job.js';
import { uploadSweepSchedule } from '../modules/uploads/jobs/uploads.job.js';
import { orgDomainNoticeJob } from '../modules/sso/jobs/org-domain-notice.job.js';
import { ssoNoticeJob } from '../modules/sso/jobs/sso-notice.job.js';
import {
  orgDomainChecksSchedule,
  ssoCertificatesSchedule,
  ssoMetadataSchedule,
  ssoOrgDeletedSubscription,
  ssoPlanChangedSubscription,
} from '../modules/sso/jobs/sso.job.js';
import { webhookNoticeJob } from '../modules/webhooks/jobs/webhook-notice.job.js';
import {
  oldDeliveriesSchedule,
  webhookAuditSubscription,
  webhookDeliveriesSchedule,
  webhookEventSubscription,
  webhookOrgDeletedSubscription,
} from '../modules/webhooks/jobs/webhooks.job.js';

/** All background work of the service. A test compares it with the `*.job.ts` files of the modules. */
export const BACKGROUND_CATALOG = new BackgroundCatalog({
  jobs: [
    approvalMailJob,
    authMailJob,
    accountDeletionJob,
    paymentEventJob,
    invoiceMirrorJob,
    spendWarningJob,
    deployJob,
    deployReportJob,
    sandboxJob,
    packagesJob,
    sessionStartJob,
    webhookNoticeJob,
    orgDomainNoticeJob,
    ssoNoticeJob,
  ],
  events: [
    orgEvent,
    auditRecordedEvent,
    orgDeletedEvent,
    orgPlanChangedEvent,
    planRequestEvent,
    githubEvent,
    projectDeletedEvent,
    repositoryPushedEvent,
    agentDeletedEvent,
  ],
  subscriptions: [
    runsAgentDeletedSubscription,
    runsOrgDeletedSubscription,
    repositoryPushedSubscription,
    projectDeletedSubscription,
    orgDeletedSubscription,
    projectsOrgDeletedSubscription,
    repositoriesOrgDeletedSubscription,
    domainProjectDeletedSubscription,
    modelAccessProjectDeletedSubscription,
    aiOrgDeletedSubscription,
    agentOrgDeletedSubscription,
    artifactOrgDeletedSubscription,
    domainOrgDeletedSubscription,
    ssoOrgDeletedSubscription,
    ssoPlanChangedSubscription,
    planRequestSubscription,
    githubEventSubscription,
    orgEventSubscription,
    webhookEventSubscription,
    webhookAuditSubscription,
    webhookOrgDeletedSubscription,
    scheduleAgentDeletedSubscription,
    scheduleOrgDeletedSubscription,
    sandboxOrgDeletedSubscription,
    databasesOrgDeletedSubscription,
    databasesProjectDeletedSubscription,
    bucketOrgDeletedSubscription,
    bucketProjectDeletedSubscription,
  ],
  schedules: [
    databaseActivitySchedule,
    databaseSizesSchedule,
    agentRunsSchedule,
    expiredApprovalsSchedule,
    oldRunsSchedule,
    expiredSessionsSchedule,
    factorRecoveriesSchedule,
    spentChallengesSchedule,
    externalSignInsSchedule,
    expiredOauthSchedule,
    oauthSigningKeysSchedule,
    accountDeletionsSchedule,
    emailChangesSchedule,
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
    orgDomainChecksSchedule,
    ssoMetadataSchedule,
    ssoCertificatesSchedule,
    projectCronsSchedule,
    requestedCronsSchedule,
    featureFlagsSchedule,
    sessionWatchSchedule,
    storageSamplingSchedule,
    usageReconciliationSchedule,
    expiredClaimsSchedule,
    reencryptionSchedule,
    partitionsSchedule,
    oldPartitionsSchedule,
    repositoriesSchedule,
    overdueExecutionsSchedule,
    oldExecutionsSchedule,
    oldPackageLocksSchedule,
    expiredArtifactsSchedule,
    sandboxWorkerSchedule,
    heldSessionsSchedule,
    lostSessionsSchedule,
    oldSessionsSchedule,
    priceSyncSchedule,
    lostGenerationsSchedule,
    oldGenerationsSchedule,
    keptTextsSchedule,
    dueSchedulesSchedule,
    planPausesSchedule,
    oldFiresSchedule,
    agentsBeyondPlanSchedule,
    swarmLeasesSchedule,
    swarmTurnsSchedule,
    swarmReviewsSchedule,
    oldSwarmsSchedule,
    uploadSweepSchedule,
    storageReservationsSchedule,
    doomedBlobsSchedule,
    expiredObjectUploadsSchedule,
    blobScrubSchedule,
    oldEventsSchedule,
    webhookDeliveriesSchedule,
    oldDeliveriesSchedule,
    databaseArchivesSchedule,
    databaseBackupsSchedule,
    expiredDatabaseBackupsSchedule,
    accessKeyUsageSchedule,
    expiredAccessKeysSchedule,
    expiredObjectsSchedule,
    databaseQuotasSchedule,
    deletedDatabasesSchedule,
    lostCreationsSchedule,
    oldOperationsSchedule,
    unusedBranchesSchedule,
  ],
});
