import { Global, Module } from '@nestjs/common';
import { AttemptsModule } from '../auth/attempts.module.js';
import { TokensModule } from '../auth/tokens.module.js';
import { CronsModule } from '../crons/crons.module.js';
import { EventsModule } from '../events/events.module.js';
import { GithubModule } from '../github/github.module.js';
import { DeployEnvironment } from '../hosting/deploy-environment.js';
import { HostingModule } from '../hosting/hosting.module.js';
import { StoredBytesModule } from '../hosting/stored-bytes.module.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { LastDeploys } from '../projects/last-deploys.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { DeployAdmissionService } from './admission/deploy-admission.service.js';
import { DeploySignals } from './domain/deploy-signals.js';
import { DeployTransitions } from './domain/deploy-transitions.js';
import { ProductionGate } from './domain/production-gate.js';
import { StorageGate } from './domain/storage-gate.js';
import { DeployHooksService } from './hooks/deploy-hooks.service.js';
import { HookDeploys } from './hooks/hook-deploys.js';
import { HookIssuer } from './hooks/hook-issuer.js';
import { LogFollower } from './logs/log-follower.js';
import { RuntimeLogFollower } from './logs/runtime-log-follower.js';
import { DEPLOY_METRICS, DeployMetrics } from './metrics/deploys.metrics.js';
import { OrgDeploysService } from './org-deploys.service.js';
import { DatabaseAccessModule } from '../databases/database-access.module.js';
import { DatabasesModule } from '../databases/databases.module.js';
import { ObjectAccessModule } from '../objects/object-access.module.js';
import { DeploysPersistenceModule } from './persistence/deploys-persistence.module.js';
import { AppScopes } from './requests/app-scopes.js';
import { ProjectProtectionService } from './protection/project-protection.service.js';
import { DeployReports } from './reports/deploy-reports.js';
import { DeployDeletion } from './requests/deploy-deletion.js';
import { DeployFiles } from './requests/deploy-files.js';
import { DeployQueue } from './requests/deploy-queue.js';
import { DeployRequests } from './requests/deploy-requests.js';
import { AttachedServices } from './requests/attached-services.js';
import { DeployVariablesService } from './requests/deploy-variables.service.js';
import { DeploysService } from './requests/deploys.service.js';
import { LastDeploysOfProjects } from './requests/last-deploys-of-projects.js';
import { LiveDeploys } from './requests/live-deploys.js';
import { ProjectHosts } from './requests/project-hosts.js';
import { ProjectSettingsService } from './requests/project-settings.service.js';
import { SystemVariables } from './requests/system-variables.js';

/** The providers that the jobs and the endpoints of this module use as well. */
const SHARED = [
  AppScopes,
  DeployAdmissionService,
  DeployDeletion,
  DeployFiles,
  DeployHooksService,
  DeployRequests,
  DeploySignals,
  DeploysService,
  DeployTransitions,
  AttachedServices,
  DeployVariablesService,
  HookDeploys,
  LiveDeploys,
  LogFollower,
  OrgDeploysService,
  ProductionGate,
  ProjectHosts,
  ProjectSettingsService,
  RuntimeLogFollower,
  ProjectProtectionService,
  StorageGate,
  SystemVariables,
];

/**
 * This module is global because hosting asks it for the environment that the server of a deploy starts with, and
 * lists of projects for their last deploys.
 */
@Global()
@Module({
  imports: [
    AttemptsModule,
    CronsModule,
    DatabaseAccessModule,
    DatabasesModule,
    DeploysPersistenceModule,
    EventsModule,
    GithubModule,
    HostingModule,
    ObjectAccessModule,
    OrgDirectoryModule,
    ProjectsModule,
    StoredBytesModule,
    TokensModule,
    UploadsModule,
  ],
  providers: [
    ...SHARED,
    ...DEPLOY_METRICS,
    DeployQueue,
    DeployReports,
    HookIssuer,
    { provide: DeployEnvironment, useExisting: DeployVariablesService },
    { provide: LastDeploys, useClass: LastDeploysOfProjects },
  ],
  exports: [...SHARED, DeployEnvironment, DeployMetrics, LastDeploys],
})
export class DeploysModule {}
