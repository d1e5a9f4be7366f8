import { Module } from '@nestjs/common';
import { DeploysModule } from '../modules/deploys/deploys.module.js';
import { HostingHttpModule } from '../modules/hosting/http/hosting-http.module.js';

/** Serves the hosts of deploys and runs their servers. `DeploysModule` provides the configuration of a server. */
@Module({ imports: [HostingHttpModule, DeploysModule] })
export class EdgeModule {}
