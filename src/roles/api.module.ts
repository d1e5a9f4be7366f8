import { Module } from '@nestjs/common';
import { AgentsHttpModule } from '../modules/agents/http/agents-http.module.js';
import { ModelAccessHttpModule } from '../modules/ai/http/model-access-http.module.js';
import { AiHttpModule } from '../modules/ai/http/ai-http.module.js';
import { AccessHttpModule } from '../modules/auth/http/access-http.module.js';
import { OrgsHttpModule } from '../modules/orgs/http/orgs-http.module.js';
import { FactorsHttpModule } from '../modules/factors/http/factors-http.module.js';
import { IdentitiesHttpModule } from '../modules/identities/http/identities-http.module.js';
import { ConnectionDirectoryModule } from '../modules/sso/connection-directory.module.js';
import { ScimHttpModule } from '../modules/scim/http/scim-http.module.js';
import { SsoHttpModule } from '../modules/sso/http/sso-http.module.js';
import { PeopleHttpModule } from '../modules/people/http/people-http.module.js';
import { BillingHttpModule } from '../modules/billing/http/billing-http.module.js';
import { CreditsHttpModule } from '../modules/credits/http/credits-http.module.js';
import { CronsHttpModule } from '../modules/crons/http/crons-http.module.js';
import { DatabasesHttpModule } from '../modules/databases/http/databases-http.module.js';
import { DeploysHttpModule } from '../modules/deploys/http/deploys-http.module.js';
import { DocsHttpModule } from '../modules/docs/http/docs-http.module.js';
import { DomainsHttpModule } from '../modules/domains/http/domains-http.module.js';
import { EventsHttpModule } from '../modules/events/http/events-http.module.js';
import { FeaturesHttpModule } from '../modules/features/http/features-http.module.js';
import { MeteringHttpModule } from '../modules/metering/http/metering-http.module.js';
import { OauthHttpModule } from '../modules/oauth/http/oauth-http.module.js';
import { GithubHttpModule } from '../modules/github/http/github-http.module.js';
import { S3HttpModule } from '../modules/objects/http/s3-http.module.js';
import { ObjectsHttpModule } from '../modules/objects/http/objects-http.module.js';
import { OpsHttpModule } from '../modules/ops/http/ops-http.module.js';
import { ProjectsHttpModule } from '../modules/projects/http/projects-http.module.js';
import { RepositoriesHttpModule } from '../modules/repositories/http/repositories-http.module.js';
import { RunsHttpModule } from '../modules/runs/http/runs-http.module.js';
import { SandboxHttpModule } from '../modules/sandbox/http/sandbox-http.module.js';
import { SchedulesHttpModule } from '../modules/schedules/http/schedules-http.module.js';
import { McpHttpModule } from '../modules/mcp/http/mcp-http.module.js';
import { SiteHttpModule } from '../modules/site/http/site-http.module.js';
import { WelcomeHttpModule } from '../modules/welcome/http/welcome-http.module.js';
import { SwarmsHttpModule } from '../modules/swarms/http/swarms-http.module.js';
import { UploadsHttpModule } from '../modules/uploads/http/uploads-http.module.js';
import { WebhooksHttpModule } from '../modules/webhooks/http/webhooks-http.module.js';

/** All endpoints of the API. The order of the guards is in `http.module.ts`. */
@Module({
  imports: [
    AccessHttpModule,
    PeopleHttpModule,
    FactorsHttpModule,
    IdentitiesHttpModule,
    OauthHttpModule,
    OrgsHttpModule,
    ConnectionDirectoryModule,
    SsoHttpModule,
    ScimHttpModule,
    BillingHttpModule,
    CreditsHttpModule,
    ProjectsHttpModule,
    RepositoriesHttpModule,
    SandboxHttpModule,
    AiHttpModule,
    SchedulesHttpModule,
    AgentsHttpModule,
    RunsHttpModule,
    FeaturesHttpModule,
    OpsHttpModule,
    S3HttpModule,
    UploadsHttpModule,
    ObjectsHttpModule,
    WelcomeHttpModule,
    SwarmsHttpModule,
    DatabasesHttpModule,
    DeploysHttpModule,
    DomainsHttpModule,
    ModelAccessHttpModule,
    CronsHttpModule,
    EventsHttpModule,
    MeteringHttpModule,
    WebhooksHttpModule,
    GithubHttpModule,
    McpHttpModule,
    SiteHttpModule,
    // Last, because its pages are all other addresses below `docs`.
    DocsHttpModule,
  ],
})
export class ApiModule {}
