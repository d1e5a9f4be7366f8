import { Global, Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { DeployEnvironment } from '../hosting/deploy-environment.js';
import { HostingModule } from '../hosting/hosting.module.js';
import { StoredBytesModule } from '../hosting/stored-bytes.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { DeployAdmissionService } from './admission/deploy-admission.service.js';
import { DeployDeletion } from './requests/deploy-deletion.js';
import { DeployRequests } from './requests/deploy-requests.js';
import { DeploySignals } from './domain/deploy-signals.js';
import { DeployTransitions } from './domain/deploy-transitions.js';
import { DeployVariablesService } from './requests/deploy-variables.service.js';
import { DEPLOY_METRICS, DeployMetrics } from './metrics/deploys.metrics.js';
import { DeploysService } from './requests/deploys.service.js';
import { LiveDeploys } from './requests/live-deploys.js';
import { LogFollower } from './logs/log-follower.js';
import { AdmissionStore } from './persistence/admission.store.js';
import { DeployKeepingStore } from './persistence/deploy-keeping.store.js';
import { DeployEnvironmentsStore } from './persistence/deploy-environments.store.js';
import { DeployLogStore } from './persistence/deploy-log.store.js';
import { DeployPinsStore } from './persistence/deploy-pins.store.js';
import { DeploysStore } from './persistence/deploys.store.js';
import { ProductionGate } from './domain/production-gate.js';
import { StorageGate } from './domain/storage-gate.js';

const OF_JOBS = [
  DeployAdmissionService,
  AdmissionStore,
  DeployEnvironmentsStore,
  DeployKeepingStore,
  DeployLogStore,
  DeployMetrics,
  DeployPinsStore,
  DeploySignals,
  DeploysStore,
  DeployTransitions,
  DeployVariablesService,
  ProductionGate,
  StorageGate,
];

/** Global for what hosting asks of it: the environment that the server of a deploy is started with. */
@Global()
@Module({
  imports: [HostingModule, OrgDirectoryModule, ProjectsModule, StoredBytesModule],
  providers: [
    DeployAdmissionService,
    AdmissionStore,
    DeployDeletion,
    DeployEnvironmentsStore,
    DeployKeepingStore,
    DeployLogStore,
    DeployPinsStore,
    DeployRequests,
    DeploySignals,
    DeploysService,
    DeploysStore,
    DeployTransitions,
    DeployVariablesService,
    LiveDeploys,
    LogFollower,
    ProductionGate,
    StorageGate,
    ...DEPLOY_METRICS,
    { provide: DeployEnvironment, useExisting: DeployVariablesService },
  ],
  exports: [DeployDeletion, DeployEnvironment, DeployRequests, DeploysService, LiveDeploys, LogFollower, ...OF_JOBS],
})
export class DeploysModule {}
