import { Module } from '@nestjs/common';
import { CronsJobsModule } from '../modules/crons/jobs/crons-jobs.module.js';
import { DeploysModule } from '../modules/deploys/deploys.module.js';
import { ObjectsHostModule } from '../modules/objects/host/objects-host.module.js';
import { HostingHttpModule } from '../modules/hosting/http/hosting-http.module.js';

/**
 * Serves the hosts of deploys, runs their servers, and sends the requests of their crons.
 * `DeploysModule` provides the configuration of a server.
 */
@Module({ imports: [HostingHttpModule, DeploysModule, CronsJobsModule, ObjectsHostModule] })
export class EdgeModule {}
