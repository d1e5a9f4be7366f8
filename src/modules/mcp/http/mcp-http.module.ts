import { Module } from '@nestjs/common';
import { DocsModule } from '../../docs/docs.module.js';
import { BranchWrites } from './branch-writes.js';
import { CompletionsPart } from './completions-part.js';
import { Confirmations } from './confirmations.js';
import { DeployWait } from './deploy-wait.js';
import { MCP_METRICS } from './mcp.metrics.js';
import { McpController } from './mcp.controller.js';
import { McpExchange } from './mcp-exchange.js';
import { McpPlaces } from './mcp-places.js';
import { McpRequests } from './mcp-requests.js';
import { PromptsPart } from './prompts-part.js';
import { ResourcesPart } from './resources-part.js';
import { OutsideController } from './outside.controller.js';
import { OutsideRequests } from './outside-requests.js';
import { OutsideTools } from './outside-tools.js';
import { OwnAddress } from './own-address.js';
import { ProjectNarrowing } from './project-narrowing.js';
import { StepUp } from './step-up.js';
import { ToolCalls } from './tool-calls.js';
import { ToolCatalog } from './tool-catalog.js';
import { ToolRuns } from './tool-runs.js';
import { ToolsPart } from './tools-part.js';

/** The MCP server: tools that are routes of the API. */
@Module({
  imports: [DocsModule],
  controllers: [McpController, OutsideController],
  providers: [
    BranchWrites,
    CompletionsPart,
    PromptsPart,
    ResourcesPart,
    Confirmations,
    DeployWait,
    McpExchange,
    McpPlaces,
    McpRequests,
    OutsideRequests,
    OutsideTools,
    OwnAddress,
    ProjectNarrowing,
    StepUp,
    ToolCalls,
    ToolCatalog,
    ToolRuns,
    ToolsPart,
    ...MCP_METRICS,
  ],
})
export class McpHttpModule {}
