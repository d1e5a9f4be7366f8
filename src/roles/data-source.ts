import { DataSource } from 'typeorm';
import { CreateOutbox1795219200000 } from '../../migrations/1795219200000-create-outbox.js';
// prettier-ignore
import { CreatePeopleAndOrganizations1795252000000 }
  from '../../migrations/1795252000000-create-people-and-organizations.js';
import { CreateAuditLog1795252060000 } from '../../migrations/1795252060000-create-audit-log.js';
import { CreateApiKeys1795252120000 } from '../../migrations/1795252120000-create-api-keys.js';
import { CreateIdempotencyRecords1795252180000 } from '../../migrations/1795252180000-create-idempotency-records.js';
import { CreateSandboxArtifacts1795299040000 } from '../../migrations/1795299040000-create-sandbox-artifacts.js';
import { CreateSandboxExecutions1795252240000 } from '../../migrations/1795252240000-create-sandbox-executions.js';
import { CreateProjects1795255200000 } from '../../migrations/1795255200000-create-projects.js';
import { CreateRepositories1795257000000 } from '../../migrations/1795257000000-create-repositories.js';
import { CreateFeatureFlags1795260000000 } from '../../migrations/1795260000000-create-feature-flags.js';
import { CreateOpsTasks1795260060000 } from '../../migrations/1795260060000-create-ops-tasks.js';
import { CreateHosting1795258000000 } from '../../migrations/1795258000000-create-hosting.js';
import { CreateDeploys1795259000000 } from '../../migrations/1795259000000-create-deploys.js';
import { CreateCredits1795263000000 } from '../../migrations/1795263000000-create-credits.js';
import { CreateSubscriptions1795264000000 } from '../../migrations/1795264000000-create-subscriptions.js';
import { CreateMetering1795262000000 } from '../../migrations/1795262000000-create-metering.js';
import { CreateStorageSamples1795262060000 } from '../../migrations/1795262060000-create-storage-samples.js';
import { CreateGithub1795265000000 } from '../../migrations/1795265000000-create-github.js';
import { CreateUnpaidUsage1795266000000 } from '../../migrations/1795266000000-create-unpaid-usage.js';
import { AddInvoiceIssuer1795267000000 } from '../../migrations/1795267000000-add-invoice-issuer.js';
import { BalanceLedgerAtOnce1795267100000 } from '../../migrations/1795267100000-balance-ledger-at-once.js';
import { CreatePlanRequests1795271100000 } from '../../migrations/1795271100000-create-plan-requests.js';
import { CreateSignInAddresses1795271000000 } from '../../migrations/1795271000000-create-sign-in-addresses.js';
// prettier-ignore
import { CreateStoredBytesReservations1795273000000 }
  from '../../migrations/1795273000000-create-stored-bytes-reservations.js';
import { CreateScheduleLeases1795274000000 } from '../../migrations/1795274000000-create-schedule-leases.js';
import { AddRunSettings1795280000000 } from '../../migrations/1795280000000-add-run-settings.js';
import { AddAppLogLevel1795280060000 } from '../../migrations/1795280060000-add-app-log-level.js';
import { CreateAppMetrics1795280120000 } from '../../migrations/1795280120000-create-app-metrics.js';
import { AddUploadListBytes1795290100000 } from '../../migrations/1795290100000-add-upload-list-bytes.js';
import { AddDeployPushedCommit1795290000000 } from '../../migrations/1795290000000-add-deploy-pushed-commit.js';
import { CreateUploads1795286000000 } from '../../migrations/1795286000000-create-uploads.js';
import { CreateReplacedDeploys1795289000000 } from '../../migrations/1795289000000-create-replaced-deploys.js';
import { CreateOrgEvents1795291100000 } from '../../migrations/1795291100000-create-org-events.js';
import { CreateWebhooks1795291200000 } from '../../migrations/1795291200000-create-webhooks.js';
import { AddRequestedCronRuns1795291700000 } from '../../migrations/1795291700000-add-requested-cron-runs.js';
import { DescribeBranches1795291600000 } from '../../migrations/1795291600000-describe-branches.js';
import { CreateBudgets1795291800000 } from '../../migrations/1795291800000-create-budgets.js';
import { ChargeBeyondHolds1795292200000 } from '../../migrations/1795292200000-charge-beyond-holds.js';
import { BindKeysToProjects1795292300000 } from '../../migrations/1795292300000-bind-keys-to-projects.js';
// prettier-ignore
import { CreateProviderKeysAndAiPolicies1795292400000 }
  from '../../migrations/1795292400000-create-provider-keys-and-ai-policies.js';
import { CreateAgentMemory1795292710000 } from '../../migrations/1795292710000-create-agent-memory.js';
import { CreateAgents1795292700000 } from '../../migrations/1795292700000-create-agents.js';
import { AddWorkBudgets1795292690000 } from '../../migrations/1795292690000-add-work-budgets.js';
import { CreateRuns1795292800000 } from '../../migrations/1795292800000-create-runs.js';
import { CreateSwarms1795292900000 } from '../../migrations/1795292900000-create-swarms.js';
// prettier-ignore
import { AddEffectKeysOfExecutions1795293100000 }
  from '../../migrations/1795293100000-add-effect-keys-of-executions.js';
import { AddPriceBooks1795292600000 } from '../../migrations/1795292600000-add-price-books.js';
import { CreateGenerationContents1795292500000 } from '../../migrations/1795292500000-create-generation-contents.js';
// prettier-ignore
import { CountWorkPaidElsewhere1795292410000 }
  from '../../migrations/1795292410000-count-work-paid-elsewhere.js';
import { CreateObjectStorage1795293250000 } from '../../migrations/1795293250000-create-object-storage.js';
// prettier-ignore
import { NotifyChangesOfPublicObjects1795293260000 }
  from '../../migrations/1795293260000-notify-changes-of-public-objects.js';
import { AddLinkKeys1795293261000 } from '../../migrations/1795293261000-add-link-keys.js';
import { NoteFullStorage1795293262000 } from '../../migrations/1795293262000-note-full-storage.js';
import { RememberCompletedUploads1795293265000 } from '../../migrations/1795293265000-remember-completed-uploads.js';
import { BoundDisksOfDatabases1795293280000 } from '../../migrations/1795293280000-bound-disks-of-databases.js';
import { AddKeySource1795293320000 } from '../../migrations/1795293320000-add-key-source.js';
import { CreateOAuth1795293330000 } from '../../migrations/1795293330000-create-oauth.js';
// prettier-ignore
import { EndGrantsByOrganization1795293400000 }
  from '../../migrations/1795293400000-end-grants-by-organization.js';
import { AddSignInMethods1795293450000 } from '../../migrations/1795293450000-add-sign-in-methods.js';
import { CreateFactors1795293460000 } from '../../migrations/1795293460000-create-factors.js';
import { RequireSecondFactors1795293470000 } from '../../migrations/1795293470000-require-second-factors.js';
import { CreateIdentities1795293480000 } from '../../migrations/1795293480000-create-identities.js';
import { CreateEmailChanges1795293490000 } from '../../migrations/1795293490000-create-email-changes.js';
import { CreateAccountDeletions1795293491000 } from '../../migrations/1795293491000-create-account-deletions.js';
import { FindLeakedDeployHooks1795293500000 } from '../../migrations/1795293500000-find-leaked-deploy-hooks.js';
import { LimitLifetimesOfKeys1795293501000 } from '../../migrations/1795293501000-limit-lifetimes-of-keys.js';
import { CreateBrowserSignIns1795297000000 } from '../../migrations/1795297000000-create-browser-sign-ins.js';
import { ExpireDatabaseBackups1795298000000 } from '../../migrations/1795298000000-expire-database-backups.js';
import { CreateOrgDomains1795299000000 } from '../../migrations/1795299000000-create-org-domains.js';
import { CreateSsoConnections1795299010000 } from '../../migrations/1795299010000-create-sso-connections.js';
import { RequireSso1795299020000 } from '../../migrations/1795299020000-require-sso.js';
import { CreateScim1795299030000 } from '../../migrations/1795299030000-create-scim.js';
import { CreateSandboxPackageLocks1795299060000 } from '../../migrations/1795299060000-create-sandbox-package-locks.js';
import { SandboxSessionsOfRuns1795299070010 } from '../../migrations/1795299070010-sandbox-sessions-of-runs.js';
import { SandboxSessionNetworks1795299090000 } from '../../migrations/1795299090000-sandbox-session-networks.js';
import { SandboxSessionPackages1795299070000 } from '../../migrations/1795299070000-sandbox-session-packages.js';
import { PartitionGrowingTables1795299080000 } from '../../migrations/1795299080000-partition-growing-tables.js';
import { CreateSandboxSessions1795299050000 } from '../../migrations/1795299050000-create-sandbox-sessions.js';
import { CreateDatabases1795293200000 } from '../../migrations/1795293200000-create-databases.js';
// prettier-ignore
import { CreateDatabaseAttachments1795293230000 }
  from '../../migrations/1795293230000-create-database-attachments.js';
import { AddDatabaseRestrictions1795293231000 } from '../../migrations/1795293231000-add-database-restrictions.js';
// prettier-ignore
import { CreateDatabaseCredentials1795293220000 }
  from '../../migrations/1795293220000-create-database-credentials.js';
import { CreateDatabaseBackups1795293240000 } from '../../migrations/1795293240000-create-database-backups.js';
import { CreateSchedules1795293000000 } from '../../migrations/1795293000000-create-schedules.js';
import { CreateModels1795292000000 } from '../../migrations/1795292000000-create-models.js';
import { CreateGenerations1795292100000 } from '../../migrations/1795292100000-create-generations.js';
import { AddWebSessions1795291000000 } from '../../migrations/1795291000000-add-web-sessions.js';
import { CreateDeployHooks1795284000000 } from '../../migrations/1795284000000-create-deploy-hooks.js';
import { CreateAppProtections1795284060000 } from '../../migrations/1795284060000-create-app-protections.js';
import { CreateProjectCrons1795284120000 } from '../../migrations/1795284120000-create-project-crons.js';
import { CreateGithubComments1795284180000 } from '../../migrations/1795284180000-create-github-comments.js';
import { CreatePushReservations1795272000000 } from '../../migrations/1795272000000-create-push-reservations.js';
import { CreateDomains1795282000000 } from '../../migrations/1795282000000-create-domains.js';
import { CreatePayments1795264120000 } from '../../migrations/1795264120000-create-payments.js';
import { CreateInvoices1795264060000 } from '../../migrations/1795264060000-create-invoices.js';
import { ApiKeySecret } from '../modules/auth/persistence/api-key-secret.entity.js';
import { ApiKey } from '../modules/auth/persistence/api-key.entity.js';
import { AuditEntry } from '../modules/audit/persistence/audit-entry.entity.js';
import { EmailToken } from '../modules/people/persistence/email-token.entity.js';
import { Invitation } from '../modules/orgs/persistence/invitation.entity.js';
import { Membership } from '../modules/orgs/persistence/membership.entity.js';
import { Organization } from '../modules/orgs/persistence/organization.entity.js';
import { Session } from '../modules/auth/persistence/session.entity.js';
import { User } from '../modules/people/persistence/user.entity.js';
import { CreditNote } from '../modules/billing/persistence/credit-note.entity.js';
import { InvoiceLine } from '../modules/billing/persistence/invoice-line.entity.js';
import { Invoice } from '../modules/billing/persistence/invoice.entity.js';
import { PlanChange } from '../modules/billing/persistence/plan-change.entity.js';
import { Subscription } from '../modules/billing/persistence/subscription.entity.js';
import { FeatureFlagChange } from '../modules/features/persistence/feature-flag-change.entity.js';
import { FeatureFlagRow } from '../modules/features/persistence/feature-flag.entity.js';
import { CustomHost } from '../modules/hosting/persistence/custom-host.entity.js';
import { Domain } from '../modules/domains/persistence/domain.entity.js';
import { CronRun } from '../modules/crons/persistence/cron-run.entity.js';
import { Cron } from '../modules/crons/persistence/cron.entity.js';
import { AppProtection } from '../modules/hosting/persistence/app-protection.entity.js';
import { HostAlias } from '../modules/hosting/persistence/host-alias.entity.js';
import { HostedDeploy } from '../modules/hosting/persistence/hosted-deploy.entity.js';
import { DeployEvent } from '../modules/deploys/persistence/deploy-event.entity.js';
import { DeployHook } from '../modules/deploys/persistence/deploy-hook.entity.js';
import { Deploy } from '../modules/deploys/persistence/deploy.entity.js';
import { GithubInstallation } from '../modules/github/persistence/github-installation.entity.js';
import { IdempotencyRecord } from '../modules/idempotency/persistence/idempotency-record.entity.js';
import { OpsTaskEvent } from '../modules/ops/persistence/ops-task-event.entity.js';
import { OpsTask } from '../modules/ops/persistence/ops-task.entity.js';
import { Project } from '../modules/projects/persistence/project.entity.js';
import { ProjectEnvVariable } from '../modules/projects/persistence/project-env-variable.entity.js';
import { Repository } from '../modules/repositories/persistence/repository.entity.js';
import { RepositoryBranch } from '../modules/repositories/persistence/repository-branch.entity.js';
import { Generation, GenerationStart } from '../modules/ai/persistence/generation.entity.js';
import { SandboxPackageLock } from '../modules/sandbox/persistence/package-lock.entity.js';
import { SandboxArtifact } from '../modules/sandbox/persistence/sandbox-artifact.entity.js';
import { SandboxExecution } from '../modules/sandbox/persistence/sandbox-execution.entity.js';
import { SandboxSession } from '../modules/sandbox/persistence/sandbox-session.entity.js';
import { PooledClient } from '../platform/database/pooled-client.js';
import { SilenceWatch } from '../platform/database/silence-watch.js';
import { OutboxMessage } from '../platform/outbox/outbox-message.entity.js';

/** No statement may take longer, so that a query that hangs does not hold its connection for ever. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** The machine of a server may vanish while a connection is idle. */
const KEEP_ALIVE_MS = 10_000;

interface DataSourceSettings {
  readonly url: string;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** How long a statement waits for a lock. Default: what the server has for its user. */
  readonly lockTimeoutMs?: number;
  /** Names of the migrations to run. Default: all. */
  readonly migrations?: readonly string[];
  /** Called when an idle connection breaks. */
  readonly onPoolError?: (error: Error) => void;
}

const MIGRATIONS = [
  CreateOutbox1795219200000,
  CreatePeopleAndOrganizations1795252000000,
  CreateAuditLog1795252060000,
  CreateApiKeys1795252120000,
  CreateIdempotencyRecords1795252180000,
  CreateSandboxExecutions1795252240000,
  CreateProjects1795255200000,
  CreateRepositories1795257000000,
  CreateHosting1795258000000,
  CreateDeploys1795259000000,
  CreateFeatureFlags1795260000000,
  CreateOpsTasks1795260060000,
  CreateMetering1795262000000,
  CreateStorageSamples1795262060000,
  CreateCredits1795263000000,
  CreateSubscriptions1795264000000,
  CreateInvoices1795264060000,
  CreatePayments1795264120000,
  CreateGithub1795265000000,
  CreateUnpaidUsage1795266000000,
  AddInvoiceIssuer1795267000000,
  BalanceLedgerAtOnce1795267100000,
  CreateSignInAddresses1795271000000,
  CreatePlanRequests1795271100000,
  CreatePushReservations1795272000000,
  CreateStoredBytesReservations1795273000000,
  CreateScheduleLeases1795274000000,
  AddRunSettings1795280000000,
  AddAppLogLevel1795280060000,
  CreateAppMetrics1795280120000,
  CreateDomains1795282000000,
  CreateDeployHooks1795284000000,
  CreateAppProtections1795284060000,
  CreateProjectCrons1795284120000,
  CreateGithubComments1795284180000,
  CreateUploads1795286000000,
  CreateReplacedDeploys1795289000000,
  AddDeployPushedCommit1795290000000,
  AddUploadListBytes1795290100000,
  AddWebSessions1795291000000,
  CreateOrgEvents1795291100000,
  CreateWebhooks1795291200000,
  DescribeBranches1795291600000,
  AddRequestedCronRuns1795291700000,
  CreateBudgets1795291800000,
  CreateModels1795292000000,
  CreateGenerations1795292100000,
  ChargeBeyondHolds1795292200000,
  BindKeysToProjects1795292300000,
  CreateProviderKeysAndAiPolicies1795292400000,
  CountWorkPaidElsewhere1795292410000,
  CreateGenerationContents1795292500000,
  AddPriceBooks1795292600000,
  AddWorkBudgets1795292690000,
  CreateAgents1795292700000,
  CreateAgentMemory1795292710000,
  CreateRuns1795292800000,
  CreateSwarms1795292900000,
  CreateSchedules1795293000000,
  AddEffectKeysOfExecutions1795293100000,
  CreateDatabases1795293200000,
  CreateDatabaseCredentials1795293220000,
  CreateDatabaseAttachments1795293230000,
  AddDatabaseRestrictions1795293231000,
  CreateDatabaseBackups1795293240000,
  CreateObjectStorage1795293250000,
  NotifyChangesOfPublicObjects1795293260000,
  AddLinkKeys1795293261000,
  NoteFullStorage1795293262000,
  RememberCompletedUploads1795293265000,
  BoundDisksOfDatabases1795293280000,
  AddKeySource1795293320000,
  CreateOAuth1795293330000,
  EndGrantsByOrganization1795293400000,
  AddSignInMethods1795293450000,
  CreateFactors1795293460000,
  RequireSecondFactors1795293470000,
  CreateIdentities1795293480000,
  CreateEmailChanges1795293490000,
  CreateAccountDeletions1795293491000,
  FindLeakedDeployHooks1795293500000,
  LimitLifetimesOfKeys1795293501000,
  CreateBrowserSignIns1795297000000,
  ExpireDatabaseBackups1795298000000,
  CreateOrgDomains1795299000000,
  CreateSsoConnections1795299010000,
  RequireSso1795299020000,
  CreateScim1795299030000,
  CreateSandboxArtifacts1795299040000,
  CreateSandboxSessions1795299050000,
  CreateSandboxPackageLocks1795299060000,
  SandboxSessionPackages1795299070000,
  SandboxSessionsOfRuns1795299070010,
  PartitionGrowingTables1795299080000,
  SandboxSessionNetworks1795299090000,
];

/** Returns the names of all migrations in their order. */
export const knownMigrations = (): readonly string[] => MIGRATIONS.map(({ name }) => name);

/** Every table and migration of the service, in one list. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const {
    url,
    poolSize = 10,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    lockTimeoutMs,
    onPoolError = () => undefined,
    migrations,
  } = settings;
  const watch = new SilenceWatch();
  return new DataSource({
    type: 'postgres',
    url,
    poolSize,
    entities: [
      OutboxMessage,
      CustomHost,
      Domain,
      AppProtection,
      Cron,
      CronRun,
      HostAlias,
      HostedDeploy,
      ApiKey,
      ApiKeySecret,
      IdempotencyRecord,
      Project,
      ProjectEnvVariable,
      Repository,
      RepositoryBranch,
      Generation,
      GenerationStart,
      SandboxArtifact,
      SandboxExecution,
      SandboxPackageLock,
      SandboxSession,
      AuditEntry,
      EmailToken,
      Invitation,
      Membership,
      Organization,
      Session,
      User,
      FeatureFlagChange,
      FeatureFlagRow,
      OpsTask,
      OpsTaskEvent,
      Deploy,
      DeployEvent,
      DeployHook,
      PlanChange,
      Subscription,
      GithubInstallation,
      Invoice,
      InvoiceLine,
      CreditNote,
    ],
    migrations: MIGRATIONS.filter(({ name }) => migrations?.includes(name) ?? true),
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    connectTimeoutMS: connectTimeoutMs,
    poolErrorHandler: onPoolError,
    applicationName: 'service-platform',
    extra: {
      Client: PooledClient,
      onConnect: (client: PooledClient) => {
        watch.add(client);
        return client.limitStatements(statementTimeoutMs, connectTimeoutMs, lockTimeoutMs);
      },
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    },
  });
}
