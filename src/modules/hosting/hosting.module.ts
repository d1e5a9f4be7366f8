import { Module } from '@nestjs/common';
import { BlobStorage } from '../../platform/blobs/blob-storage.js';
import { openBlobStorage } from '../../platform/blobs/open-blob-storage.js';
import { Config } from '../../platform/config/config.js';
import { IsolationModule } from '../../platform/isolation/isolation.module.js';
import { NodeProgramsModule } from '../../platform/node-programs/node-programs.module.js';
import { Clock } from '../../platform/time/clock.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { AliasesService } from './aliases.service.js';
import { AppMetricsService } from './app-metrics.service.js';
import { AppServersService } from './app-servers.service.js';
import { ArtifactsService } from './artifacts.service.js';
import { CustomHostsService } from './custom-hosts.service.js';
import { EdgeCalls } from './edge-calls.js';
import { GarbageCollectionService } from './garbage-collection.service.js';
import { HostingSettings } from './hosting.settings.js';
import { HostingPersistenceModule } from './persistence/hosting-persistence.module.js';
import { StoreLock } from './persistence/store-lock.js';
import { AccessTokens } from './protection/access-tokens.js';
import { ProtectionsService } from './protections.service.js';
import { AppAllowances } from './servers/app-allowances.js';
import { AppIsolation } from './servers/app-isolation.js';
import { AppLauncher } from './servers/app-launcher.js';
import { AppNetworks } from './servers/app-networks.js';
import { AppLogs } from './servers/app-logs.js';
import { IdleServers } from './servers/idle-servers.js';
import { KeptFiles } from './servers/kept-files.js';
import { AppTools } from './servers/app-tools.js';
import { AppTrees } from './servers/app-trees.js';
import { ServiceDoors } from './servers/service-doors.js';
import { StoredBytesModule } from './stored-bytes.module.js';
import { RuntimeLogsService } from './runtime-logs.service.js';
import { Sites } from './site/sites.js';
import { UnusedBlobs } from './store/unused-blobs.js';

/** Stores the files of deploys, runs their servers, and maps host names to deploys. `http/` serves them. */
@Module({
  imports: [HostingPersistenceModule, IsolationModule, NodeProgramsModule, OrgDirectoryModule, StoredBytesModule],
  providers: [
    {
      provide: BlobStorage,
      inject: [HostingSettings, Config, Clock],
      useFactory: ({ artifactsPlace }: HostingSettings, { blobCredentials }: Config, clock: Clock) =>
        openBlobStorage(artifactsPlace, blobCredentials, clock),
    },
    StoreLock,
    UnusedBlobs,
    Sites,
    ArtifactsService,
    AliasesService,
    CustomHostsService,
    AccessTokens,
    EdgeCalls,
    ProtectionsService,
    GarbageCollectionService,
    AppAllowances,
    AppLogs,
    AppTools,
    AppTrees,
    AppNetworks,
    AppIsolation,
    KeptFiles,
    ServiceDoors,
    AppLauncher,
    IdleServers,
    AppServersService,
    AppMetricsService,
    RuntimeLogsService,
  ],
  exports: [
    AccessTokens,
    AppMetricsService,
    BlobStorage,
    Sites,
    ArtifactsService,
    AliasesService,
    CustomHostsService,
    GarbageCollectionService,
    AppServersService,
    EdgeCalls,
    ProtectionsService,
    RuntimeLogsService,
  ],
})
export class HostingModule {}
