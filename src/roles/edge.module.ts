import { Module } from '@nestjs/common';
import { DeploysModule } from '../modules/deploys/deploys.module.js';
import { HostingHttpModule } from '../modules/hosting/http/hosting-http.module.js';

/** Answers under the hosts of deploys and runs their servers. `DeploysModule` knows what a server is started with. */
@Module({ imports: [HostingHttpModule, DeploysModule] })
export class EdgeModule {}
