import { Module } from '@nestjs/common';
import { PartitionsModule } from '../../../platform/partitions/partitions.module.js';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { BuildsModule } from '../../builds/builds.module.js';
import { CronsModule } from '../../crons/crons.module.js';
import { GithubModule } from '../../github/github.module.js';
import { HostingModule } from '../../hosting/hosting.module.js';
import { StoredBytesModule } from '../../hosting/stored-bytes.module.js';
import { MeteringModule } from '../../metering/metering.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { RepositoriesModule } from '../../repositories/repositories.module.js';
import { UploadsModule } from '../../uploads/uploads.module.js';
import { LostDeploys } from '../admission/lost-deploys.js';
import { DeploysModule } from '../deploys.module.js';
import { DeployLogs } from '../logs/deploy-log.js';
import { DeploysPersistenceModule } from '../persistence/deploys-persistence.module.js';
import { AttemptEnding } from '../pipeline/attempt-ending.js';
import { BeginStep } from '../pipeline/begin.step.js';
import { CheckServerStep } from '../pipeline/check-server.step.js';
import { DeployRunner, Pipeline } from '../pipeline/deploy-runner.js';
import { PhaseClocks } from '../pipeline/phase-clocks.js';
import { GoLiveStep } from '../pipeline/go-live.step.js';
import { IngestStep } from '../pipeline/ingest.step.js';
import { Leases } from '../pipeline/leases.js';
import { FetchStep } from '../pipeline/fetch.step.js';
import { ReuseStep } from '../pipeline/reuse.step.js';
import { DeployReportProcessor } from '../reports/deploy-report.processor.js';
import { DeployLogPartitions } from '../upkeep/deploy-log-partitions.js';
import { DeployRemoval } from '../upkeep/deploy-removal.js';
import { DeployStorageSource } from '../upkeep/deploy-storage-source.js';
import { EncryptedDeployEnv } from '../upkeep/encrypted-deploy-env.js';
import { DeploySweeper } from '../upkeep/deploy-sweeper.js';
import { ProjectLeftovers } from '../upkeep/project-leftovers.js';
import { FileRetention } from '../upkeep/file-retention.js';
import { DeployProcessor } from './deploy.processor.js';
import { DeployWorkerService } from './deploy-worker.service.js';
import { OrgDeletedProcessor } from './org-deleted.processor.js';
import { ProjectDeletedProcessor } from './project-deleted.processor.js';
import { RepositoryPushedProcessor } from './repository-pushed.processor.js';

@Module({
  imports: [
    BuildsModule,
    CronsModule,
    DeploysModule,
    DeploysPersistenceModule,
    GithubModule,
    HostingModule,
    MeteringModule,
    PartitionsModule,
    ProjectsModule,
    ReencryptionModule,
    RepositoriesModule,
    StoredBytesModule,
    UploadsModule,
  ],
  providers: [
    BeginStep,
    FetchStep,
    ReuseStep,
    IngestStep,
    CheckServerStep,
    GoLiveStep,
    Pipeline,
    AttemptEnding,
    DeployRunner,
    PhaseClocks,
    Leases,
    DeployLogs,
    DeployProcessor,
    DeployReportProcessor,
    DeployWorkerService,
    LostDeploys,
    DeployRemoval,
    ProjectLeftovers,
    DeployLogPartitions,
    DeployStorageSource,
    EncryptedDeployEnv,
    DeploySweeper,
    FileRetention,
    OrgDeletedProcessor,
    ProjectDeletedProcessor,
    RepositoryPushedProcessor,
  ],
})
export class DeploysJobsModule {}
