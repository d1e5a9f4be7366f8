import { Injectable } from '@nestjs/common';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server';
import type { McpSession } from './mcp-session.js';
import type { ReportProgress } from './deploy-wait.js';
import type { RequestServer, ServerPart } from './server-part.js';
import { ToolCatalog } from './tool-catalog.js';
import { ToolRuns } from './tool-runs.js';

/** Lists the tools that the caller may use, and calls them. */
@Injectable()
export class ToolsPart implements ServerPart {
  readonly capabilities = { tools: {} };

  constructor(
    private readonly catalog: ToolCatalog,
    private readonly runs: ToolRuns,
  ) {}

  install(server: RequestServer, session: McpSession): void {
    server.setRequestHandler('tools/list', () => ({
      tools: this.catalog.listFor(session).map(({ listed }) => listed as unknown as ListedTool),
    }));
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }, context) => {
      const { signal, inputResponses, envelope } = context.mcpReq;
      const entry = this.catalog.find(session, name);
      if (entry === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${name.slice(0, 100)} for this caller.`,
        );
      return this.runs.run(
        { session, entry, given, signal },
        { capabilities: capabilitiesIn(envelope), inputResponses },
        reporterOf(context),
      );
    });
  }
}

/** Progress is only reported to a client that asked for it, and gives the token that it expects. */
function reporterOf({ mcpReq: { _meta, notify } }: ServerContext): ReportProgress {
  const progressToken = _meta?.progressToken;
  return async (progress) => {
    if (progressToken === undefined) return;
    await notify({ method: 'notifications/progress', params: { progressToken, ...progress } });
  };
}

/** A client of 2026 sends its capabilities with each request. */
export const capabilitiesIn = (envelope: object | undefined): ClientCapabilities | undefined =>
  (envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
