import { Module } from '@nestjs/common';
import { HostingModule } from '../hosting.module.js';
import { HOSTING_METRICS } from '../metrics/hosting.metrics.js';
import { AliasChanges } from '../persistence/alias-changes.js';
import { AliasCache } from '../site/alias-cache.js';
import { Blobs } from '../site/blobs.js';
import { AppDomain } from './app-domain.js';
import { AppDoor } from './app-door.js';
import { AppHosts } from './app-hosts.js';
import { AppProxy } from './app-proxy.js';
import { EdgeServer } from './edge-server.js';
import { StaticFiles } from './static-files.js';

/** Answers under the hosts of deploys, in the role `edge`. */
@Module({
  imports: [HostingModule],
  providers: [
    AliasChanges,
    AliasCache,
    Blobs,
    StaticFiles,
    AppProxy,
    AppDomain,
    AppHosts,
    AppDoor,
    EdgeServer,
    ...HOSTING_METRICS,
  ],
})
export class HostingHttpModule {}
