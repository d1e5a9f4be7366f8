import { Module } from '@nestjs/common';
import { AttemptsModule } from '../../auth/attempts.module.js';
import { HostingModule } from '../hosting.module.js';
import { AppActivityWriter } from '../jobs/app-activity-writer.js';
import { AppActivity } from '../metrics/app-activity.js';
import { APP_NETWORK_METRICS } from '../metrics/app-network.metrics.js';
import { HOSTING_METRICS } from '../metrics/hosting.metrics.js';
import { AliasChanges } from '../persistence/alias-changes.js';
import { HostingPersistenceModule } from '../persistence/hosting-persistence.module.js';
import { AliasCache } from '../site/alias-cache.js';
import { Blobs } from '../site/blobs.js';
import { CustomHostCache } from '../site/custom-host-cache.js';
import { HostLookup } from '../site/host-lookup.js';
import { AccessGate } from './access-gate.js';
import { AppDomain } from './app-domain.js';
import { AppRequests } from './app-requests.js';
import { AppHosts } from './app-hosts.js';
import { AppProxy } from './app-proxy.js';
import { CustomHostRules } from './custom-host-rules.js';
import { Doorkeeper } from './doorkeeper.js';
import { EarlierDeploys } from './earlier-deploys.js';
import { EdgeServer } from './edge-server.js';
import { ShownSites } from './shown-sites.js';
import { StaticFiles } from './static-files.js';
import { Visits } from './visits.js';

/** Serves the hosts of deploys, in the role `edge`. */
@Module({
  imports: [AttemptsModule, HostingModule, HostingPersistenceModule],
  providers: [
    AliasChanges,
    AliasCache,
    CustomHostCache,
    HostLookup,
    Blobs,
    StaticFiles,
    AccessGate,
    AppProxy,
    AppDomain,
    AppHosts,
    CustomHostRules,
    Doorkeeper,
    ShownSites,
    EarlierDeploys,
    Visits,
    AppRequests,
    EdgeServer,
    AppActivity,
    AppActivityWriter,
    ...HOSTING_METRICS,
    ...APP_NETWORK_METRICS,
  ],
})
export class HostingHttpModule {}
