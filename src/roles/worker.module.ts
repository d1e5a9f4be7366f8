import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { AgentsJobsModule } from '../modules/agents/jobs/agents-jobs.module.js';
import { AiJobsModule } from '../modules/ai/jobs/ai-jobs.module.js';
import { AuditJobsModule } from '../modules/audit/jobs/audit-jobs.module.js';
import { AuthJobsModule } from '../modules/auth/jobs/auth-jobs.module.js';
import { OrgsJobsModule } from '../modules/orgs/jobs/orgs-jobs.module.js';
import { FactorsJobsModule } from '../modules/factors/jobs/factors-jobs.module.js';
import { IdentitiesJobsModule } from '../modules/identities/jobs/identities-jobs.module.js';
import { ConnectionDirectoryModule } from '../modules/sso/connection-directory.module.js';
import { SsoJobsModule } from '../modules/sso/jobs/sso-jobs.module.js';
import { PeopleJobsModule } from '../modules/people/jobs/people-jobs.module.js';
import { BillingJobsModule } from '../modules/billing/jobs/billing-jobs.module.js';
import { RepositoriesJobsModule } from '../modules/repositories/jobs/repositories-jobs.module.js';
import { MeteringJobsModule } from '../modules/metering/jobs/metering-jobs.module.js';
import { OauthJobsModule } from '../modules/oauth/jobs/oauth-jobs.module.js';
import { OpsJobsModule } from '../modules/ops/jobs/ops-jobs.module.js';
import { CreditsJobsModule } from '../modules/credits/jobs/credits-jobs.module.js';
import { DatabasesJobsModule } from '../modules/databases/jobs/databases-jobs.module.js';
import { EventsJobsModule } from '../modules/events/jobs/events-jobs.module.js';
import { HostingJobsModule } from '../modules/hosting/jobs/hosting-jobs.module.js';
import { DeploysJobsModule } from '../modules/deploys/jobs/deploys-jobs.module.js';
import { ModelAccessJobsModule } from '../modules/ai/jobs/model-access-jobs.module.js';
import { DomainsJobsModule } from '../modules/domains/jobs/domains-jobs.module.js';
import { RunsJobsModule } from '../modules/runs/jobs/runs-jobs.module.js';
import { SandboxJobsModule } from '../modules/sandbox/jobs/sandbox-jobs.module.js';
import { ObjectsLifecycleModule } from '../modules/objects/jobs/objects-lifecycle.module.js';
import { ProjectsJobsModule } from '../modules/projects/jobs/projects-jobs.module.js';
import { SwarmsJobsModule } from '../modules/swarms/jobs/swarms-jobs.module.js';
import { DatabaseBackupsJobsModule } from '../modules/databases/jobs/database-backups-jobs.module.js';
import { SchedulesJobsModule } from '../modules/schedules/jobs/schedules-jobs.module.js';
import { UploadsJobsModule } from '../modules/uploads/jobs/uploads-jobs.module.js';
import { WebhooksJobsModule } from '../modules/webhooks/jobs/webhooks-jobs.module.js';
import { ObjectsJobsModule } from '../modules/objects/jobs/objects-jobs.module.js';
import { OutboxRelay } from '../platform/outbox/outbox-relay.js';

/** All background work. */
@Module({
  imports: [
    AuditJobsModule,
    AuthJobsModule,
    OrgsJobsModule,
    PeopleJobsModule,
    FactorsJobsModule,
    IdentitiesJobsModule,
    ConnectionDirectoryModule,
    SsoJobsModule,
    OauthJobsModule,
    EventsJobsModule,
    MeteringJobsModule,
    BillingJobsModule,
    RepositoriesJobsModule,
    SandboxJobsModule,
    AiJobsModule,
    DatabaseBackupsJobsModule,
    SchedulesJobsModule,
    AgentsJobsModule,
    RunsJobsModule,
    OpsJobsModule,
    ProjectsJobsModule,
    SwarmsJobsModule,
    UploadsJobsModule,
    ObjectsLifecycleModule,
    DeploysJobsModule,
    HostingJobsModule,
    DomainsJobsModule,
    ModelAccessJobsModule,
    CreditsJobsModule,
    DatabasesJobsModule,
    WebhooksJobsModule,
    ObjectsJobsModule,
  ],
})
export class WorkerModule implements OnApplicationBootstrap {
  constructor(private readonly relay: OutboxRelay) {}

  onApplicationBootstrap(): void {
    this.relay.start();
  }
}
