import { Module } from '@nestjs/common';
import { IsolationModule } from '../../platform/isolation/isolation.module.js';
import { NodeProgramsModule } from '../../platform/node-programs/node-programs.module.js';
import { Clock } from '../../platform/time/clock.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { AliasesService } from './aliases.service.js';
import { AppServersService } from './app-servers.service.js';
import { ArtifactsService } from './artifacts.service.js';
import { GarbageCollectionService } from './garbage-collection.service.js';
import { HostingSettings } from './hosting.settings.js';
import { AliasesStore } from './persistence/aliases.store.js';
import { AppLogStore } from './persistence/app-log.store.js';
import { HostedDeploysStore } from './persistence/hosted-deploys.store.js';
import { StoreLock } from './persistence/store-lock.js';
import { AppAllowances } from './servers/app-allowances.js';
import { AppLauncher } from './servers/app-launcher.js';
import { AppLogs } from './servers/app-logs.js';
import { IdleServers } from './servers/idle-servers.js';
import { AppTrees } from './servers/app-trees.js';
import { StoredBytesModule } from './stored-bytes.module.js';
import { Sites } from './site/sites.js';
import { ArtifactStore } from './store/artifact-store.js';
import { openArtifactStore } from './store/open-artifact-store.js';

/** Keeps the files of deploys and knows which host name shows which deploy; `http/` answers for them. */
@Module({
  imports: [IsolationModule, NodeProgramsModule, OrgDirectoryModule, StoredBytesModule],
  providers: [
    { provide: ArtifactStore, inject: [HostingSettings, Clock], useFactory: openArtifactStore },
    HostedDeploysStore,
    AliasesStore,
    StoreLock,
    Sites,
    ArtifactsService,
    AliasesService,
    GarbageCollectionService,
    AppAllowances,
    AppLogStore,
    AppLogs,
    AppTrees,
    AppLauncher,
    IdleServers,
    AppServersService,
  ],
  exports: [
    ArtifactStore,
    AliasesStore,
    Sites,
    ArtifactsService,
    AliasesService,
    GarbageCollectionService,
    AppServersService,
  ],
})
export class HostingModule {}
