import { Module } from '@nestjs/common';
import { EgressModule } from '../../../platform/egress/egress.module.js';
import { AgentToolsModule } from '../../agents/agent-tools.module.js';
import { DatabasesModule } from '../../databases/databases.module.js';
import { DeploysModule } from '../../deploys/deploys.module.js';
import { ObjectsModule } from '../../objects/objects.module.js';
import { ProjectsModule } from '../../projects/projects.module.js';
import { RepositoriesModule } from '../../repositories/repositories.module.js';
import { OrgExecutionsModule } from '../../sandbox/org-executions.module.js';
import { OrgSessionsModule } from '../../sandbox/org-sessions.module.js';
import { AgentsModule } from '../../agents/agents.module.js';
import { RunsModule } from '../runs.module.js';
import { RunsPersistenceModule } from '../persistence/runs-persistence.module.js';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { MeteringModule } from '../../metering/metering.module.js';
import { WorkTokensModule } from '../../oauth/work-tokens.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { SendMailTool } from './send-mail.tool.js';
import { SendWebhookTool } from './send-webhook.tool.js';
import { UsageSummaryTool } from './usage-summary.tool.js';
import { AskPersonTool } from './ask-person.tool.js';
import { DeployLogsTool } from './deploy-logs.tool.js';
import { DeployProjectTool } from './deploy-project.tool.js';
import { HttpGetTool } from './http-get.tool.js';
import { HttpRequestTool } from './http-request.tool.js';
import { ListDeploysTool } from './list-deploys.tool.js';
import { ListProjectsTool } from './list-projects.tool.js';
import { McpDefinitions } from '../mcp/mcp-definitions.js';
import { McpListingService } from '../mcp/mcp-listing.service.js';
import { McpServers } from '../mcp/mcp-servers.js';
import { OwnServer } from '../mcp/own-server.js';
import { ServiceTool } from './service.tool.js';
import { McpTool } from './mcp.tool.js';
import { ReadArtifactTool } from './read-artifact.tool.js';
import { ReadFilesTool } from './read-files.tool.js';
import { ReadSessionFileTool } from './read-session-file.tool.js';
import { RunCodeTool } from './run-code.tool.js';
import { RunInSessionTool } from './run-in-session.tool.js';
import { SearchFilesTool } from './search-files.tool.js';
import { WriteFilesTool } from './write-files.tool.js';
import { DescribeDatabaseTool } from './describe-database.tool.js';
import { ExecuteSqlTool } from './execute-sql.tool.js';
import { ListBucketsTool } from './list-buckets.tool.js';
import { ListDatabasesTool } from './list-databases.tool.js';
import { ListObjectsTool } from './list-objects.tool.js';
import { QueryDatabaseTool } from './query-database.tool.js';
import { ReadObjectTool } from './read-object.tool.js';
import { WriteObjectTool } from './write-object.tool.js';

/** The tools that act outside of a run. Each registers itself. */
@Module({
  imports: [
    AgentToolsModule,
    AgentsModule,
    RunsPersistenceModule,
    DatabasesModule,
    DeploysModule,
    EgressModule,
    LimitsModule,
    MailModule,
    MeteringModule,
    ObjectsModule,
    OrgDirectoryModule,
    OrgExecutionsModule,
    OrgSessionsModule,
    ProjectsModule,
    RepositoriesModule,
    RunsModule,
    WorkTokensModule,
  ],
  providers: [
    AskPersonTool,
    DeployLogsTool,
    DeployProjectTool,
    DescribeDatabaseTool,
    ExecuteSqlTool,
    HttpGetTool,
    HttpRequestTool,
    ListBucketsTool,
    ListDatabasesTool,
    ListDeploysTool,
    ListObjectsTool,
    ListProjectsTool,
    McpDefinitions,
    McpListingService,
    McpServers,
    McpTool,
    OwnServer,
    QueryDatabaseTool,
    ReadArtifactTool,
    ReadFilesTool,
    ReadObjectTool,
    ReadSessionFileTool,
    RunCodeTool,
    RunInSessionTool,
    SearchFilesTool,
    SendMailTool,
    SendWebhookTool,
    ServiceTool,
    UsageSummaryTool,
    WriteFilesTool,
    WriteObjectTool,
  ],
  exports: [McpListingService],
})
export class RunToolsModule {}
