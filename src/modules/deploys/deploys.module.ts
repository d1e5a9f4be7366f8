import { Global, Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { DeployEnvironment } from '../hosting/deploy-environment.js';
import { HostingModule } from '../hosting/hosting.module.js';
import { StoredBytesModule } from '../hosting/stored-bytes.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { AdmissionService } from './admission/admission.service.js';
import { DeployDeletion } from './deploy-deletion.service.js';
import { DeployRequests } from './deploy-requests.service.js';
import { DeploySignals } from './deploy-signals.js';
import { DeployTransitions } from './deploy-transitions.js';
import { DeployVariablesService } from './deploy-variables.service.js';
import { DEPLOY_METRICS, DeployMetrics } from './deploys.metrics.js';
import { DeploysService } from './deploys.service.js';
import { LiveDeploys } from './live-deploys.service.js';
import { LogFollower } from './logs/log-follower.service.js';
import { AdmissionStore } from './persistence/admission.store.js';
import { DeployKeepingStore } from './persistence/deploy-keeping.store.js';
import { DeployEnvironmentsStore } from './persistence/deploy-environments.store.js';
import { DeployLogStore } from './persistence/deploy-log.store.js';
import { DeployPinsStore } from './persistence/deploy-pins.store.js';
import { DeploysStore } from './persistence/deploys.store.js';
import { ProductionGate } from './production-gate.js';
import { StorageGate } from './storage-gate.js';

const OF_JOBS = [
  AdmissionService,
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
    AdmissionService,
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
