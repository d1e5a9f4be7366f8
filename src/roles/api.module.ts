import { Module } from '@nestjs/common';
import { ModelAccessHttpModule } from '../modules/ai/http/model-access-http.module.js';
import { AiHttpModule } from '../modules/ai/http/ai-http.module.js';
import { AccessHttpModule } from '../modules/auth/http/access-http.module.js';
import { OrgsHttpModule } from '../modules/orgs/http/orgs-http.module.js';
import { PeopleHttpModule } from '../modules/people/http/people-http.module.js';
import { BillingHttpModule } from '../modules/billing/http/billing-http.module.js';
import { CreditsHttpModule } from '../modules/credits/http/credits-http.module.js';
import { CronsHttpModule } from '../modules/crons/http/crons-http.module.js';
import { DeploysHttpModule } from '../modules/deploys/http/deploys-http.module.js';
import { DocsHttpModule } from '../modules/docs/http/docs-http.module.js';
import { DomainsHttpModule } from '../modules/domains/http/domains-http.module.js';
import { EventsHttpModule } from '../modules/events/http/events-http.module.js';
import { FeaturesHttpModule } from '../modules/features/http/features-http.module.js';
import { MeteringHttpModule } from '../modules/metering/http/metering-http.module.js';
import { GithubHttpModule } from '../modules/github/http/github-http.module.js';
import { OpsHttpModule } from '../modules/ops/http/ops-http.module.js';
import { ProjectsHttpModule } from '../modules/projects/http/projects-http.module.js';
import { RepositoriesHttpModule } from '../modules/repositories/http/repositories-http.module.js';
import { SandboxHttpModule } from '../modules/sandbox/http/sandbox-http.module.js';
import { SiteHttpModule } from '../modules/site/http/site-http.module.js';
import { WelcomeHttpModule } from '../modules/welcome/http/welcome-http.module.js';
import { UploadsHttpModule } from '../modules/uploads/http/uploads-http.module.js';
import { WebhooksHttpModule } from '../modules/webhooks/http/webhooks-http.module.js';

/** All endpoints of the API. The order of the guards is in `http.module.ts`. */
@Module({
  imports: [
    AccessHttpModule,
    PeopleHttpModule,
    OrgsHttpModule,
    BillingHttpModule,
    CreditsHttpModule,
    ProjectsHttpModule,
    RepositoriesHttpModule,
    SandboxHttpModule,
    AiHttpModule,
    FeaturesHttpModule,
    OpsHttpModule,
    UploadsHttpModule,
    WelcomeHttpModule,
    DeploysHttpModule,
    DomainsHttpModule,
    ModelAccessHttpModule,
    CronsHttpModule,
    EventsHttpModule,
    MeteringHttpModule,
    WebhooksHttpModule,
    GithubHttpModule,
    SiteHttpModule,
    // Last, because its pages are all other addresses below `docs`.
    DocsHttpModule,
  ],
})
export class ApiModule {}
