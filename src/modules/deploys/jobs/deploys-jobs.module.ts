import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueWorkers } from '../../../platform/queues/queue-workers.js';
import { orgDeletedEvent } from '../../auth/org-deleted.job.js';
import { BuildsModule } from '../../builds/builds.module.js';
import { HostingModule } from '../../hosting/hosting.module.js';
import { StoredBytesModule } from '../../hosting/stored-bytes.module.js';
import { MeteringModule } from '../../metering/metering.module.js';
import { projectDeletedEvent } from '../../projects/project-deleted.job.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { RepositoriesModule } from '../../repositories/repositories.module.js';
import { repositoryPushedEvent } from '../../repositories/repository-pushed.job.js';
import { LostDeploys } from '../admission/lost-deploys.service.js';
import { DeploysModule } from '../deploys.module.js';
import { DeployLogs } from '../logs/deploy-log.js';
import { BeginStep } from '../pipeline/begin.step.js';
import { CheckServerStep } from '../pipeline/check-server.step.js';
import { DeployRunner, Pipeline } from '../pipeline/deploy-runner.js';
import { GoLiveStep } from '../pipeline/go-live.step.js';
import { IngestStep } from '../pipeline/ingest.step.js';
import { Leases } from '../pipeline/leases.js';
import { FetchStep } from '../pipeline/fetch.step.js';
import { ReuseStep } from '../pipeline/reuse.step.js';
import { DeployRemoval } from '../upkeep/deploy-removal.service.js';
import { DeployEnvResealing } from '../upkeep/deploy-env-resealing.js';
import { DeployStorageSource } from '../upkeep/deploy-storage-source.js';
import { DeploySweeper } from '../upkeep/deploy-sweeper.js';
import { DeployProcessor } from './deploy.processor.js';
import { DeployWorkerService } from './deploy-worker.service.js';
import { OrgDeletedProcessor } from './org-deleted.processor.js';
import { ProjectDeletedProcessor } from './project-deleted.processor.js';
import { RepositoryPushedProcessor } from './repository-pushed.processor.js';

@Module({
  imports: [BuildsModule, DeploysModule, HostingModule, MeteringModule, ProjectsModule, RepositoriesModule, StoredBytesModule],
  providers: [
    BeginStep, FetchStep, ReuseStep, IngestStep, CheckServerStep, GoLiveStep, Pipeline, DeployRunner, Leases, DeployLogs,
    DeployProcessor, DeployWorkerService, LostDeploys, DeployRemoval, DeployStorageSource, DeployEnvResealing, DeploySweeper, OrgDeletedProcessor, ProjectDeletedProcessor, RepositoryPushedProcessor,
  ],
})
export class DeploysJobsModule implements OnApplicationBootstrap {
  constructor(
    private readonly workers: QueueWorkers,
    private readonly pushed: RepositoryPushedProcessor,
    private readonly projectDeleted: ProjectDeletedProcessor,
    private readonly orgDeleted: OrgDeletedProcessor,
  ) {}

  onApplicationBootstrap(): void {
    this.workers.start(repositoryPushedEvent, this.pushed);
    this.workers.start(projectDeletedEvent, this.projectDeleted);
    this.workers.start(orgDeletedEvent, this.orgDeleted);
  }
}
