import { Module } from '@nestjs/common';
import { IsolationModule } from '../../../platform/isolation/isolation.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { DatabasesSettings } from '../databases.settings.js';
import { DatabasesHomeModule } from '../home/databases-home.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { ClusterAllowances } from './cluster-allowances.js';
import { DatabaseEngine } from './database-engine.js';
import { HostedEngine } from './hosted-engine.js';
import { ClusterCreation } from './own/cluster-creation.js';
import { ClusterFiles } from './own/cluster-files.js';
import { ClusterHome } from './own/cluster-home.js';
import { ClusterNews } from './own/cluster-news.js';
import { ClusterOpening } from './own/cluster-opening.js';
import { ClusterPrograms } from './own/cluster-programs.js';
import { ClusterQuiet } from './own/cluster-quiet.js';
import { ClusterRecords } from './own/cluster-records.js';
import { ClusterRest } from './own/cluster-rest.js';
import { ClusterRestrictions } from './own/cluster-restrictions.js';
import { ClusterRoom } from './own/cluster-room.js';
import { ClusterSizes } from './own/cluster-sizes.js';
import { ClusterSleep } from './own/cluster-sleep.js';
import { ClusterStarter } from './own/cluster-starter.js';
import { ClusterTemplate } from './own/cluster-template.js';
import { Clusters } from './own/clusters.js';
import { EarlierServers } from './own/earlier-servers.js';
import { OwnActivity } from './own/own-activity.js';
import { OwnEngine } from './own/own-engine.js';
import { OwnEngineHost } from './own/own-engine-host.js';
import { PostgresInstallation } from './own/postgres-installation.js';
import { SleepHooks } from './own/sleep-hooks.js';
import { SpareClusters } from './own/spare-clusters.js';
import { DatabaseOnServer } from './server/database-on-server.js';
import { ServerEngine } from './server/server-engine.js';
import { ServerHost } from './server/server-host.js';
import { TenantConnections } from './server/tenant-connections.js';
import { TenantServer } from './server/tenant-server.js';

/** The engine of this host. It runs in the role `databases`. */
@Module({
  imports: [DatabasesHomeModule, DatabasesPersistenceModule, IsolationModule, OrgDirectoryModule],
  providers: [
    ClusterAllowances,
    ClusterCreation,
    ClusterFiles,
    ClusterHome,
    ClusterNews,
    ClusterOpening,
    ClusterPrograms,
    ClusterQuiet,
    ClusterRecords,
    ClusterRest,
    ClusterRestrictions,
    ClusterRoom,
    Clusters,
    ClusterSizes,
    ClusterSleep,
    ClusterStarter,
    ClusterTemplate,
    DatabaseOnServer,
    EarlierServers,
    OwnActivity,
    OwnEngine,
    OwnEngineHost,
    PostgresInstallation,
    SleepHooks,
    SpareClusters,
    ServerEngine,
    ServerHost,
    TenantConnections,
    TenantServer,
    {
      provide: DatabaseEngine,
      inject: [DatabasesSettings, OwnEngine, ServerEngine],
      useFactory: ({ tenantServerUrl }: DatabasesSettings, own: OwnEngine, server: ServerEngine) =>
        tenantServerUrl === undefined ? own : server,
    },
    {
      provide: HostedEngine,
      inject: [DatabasesSettings, OwnEngineHost, ServerHost],
      useFactory: ({ tenantServerUrl }: DatabasesSettings, own: OwnEngineHost, server: ServerHost) =>
        tenantServerUrl === undefined ? own : server,
    },
  ],
  exports: [
    ClusterAllowances,
    ClusterFiles,
    ClusterHome,
    ClusterNews,
    ClusterRecords,
    Clusters,
    ClusterSizes,
    ClusterStarter,
    DatabaseEngine,
    HostedEngine,
    OwnEngine,
    SleepHooks,
  ],
})
export class EngineHostModule {}
