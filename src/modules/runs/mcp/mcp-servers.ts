import { Injectable } from '@nestjs/common';
import { PublicFetch } from '../../../platform/egress/public-fetch.js';
import { RunToolsSettings } from '../run-tools.settings.js';
import type { McpDefinition } from './mcp-definition.js';
import { type McpEndpoint, mcpFetch, McpUnreachable } from './mcp-fetch.js';
import { definitionOf, type ToolClient, WITHOUT_SCHEMAS } from './tool-client.js';

const CONNECT_TIMEOUT_MS = 15_000;
const CALL_TIMEOUT_MS = 60_000;
const MAX_PAGES = 10;
const MAX_TOOLS = 200;

/** The server could not be reached, or does not speak MCP. Nothing was called. */
export class McpUnavailable extends Error {}

/** What a tool of a server returned. */
export interface McpResult {
  readonly isError: boolean;
  readonly content: readonly unknown[];
  readonly structured: unknown;
}

/** How a call ended: with a result, or, if it is unknown whether the tool has run, with the reason. */
type McpCallOutcome = { readonly result: McpResult } | { readonly unknown: string };

/** A session with a server, which has listed its tools. */
export interface McpSession {
  readonly definitions: readonly McpDefinition[];
  call(name: string, input: Readonly<Record<string, unknown>>): Promise<McpCallOutcome>;
}

/** Speaks with MCP servers over HTTP. Each session is short, so that no run keeps a connection while it waits. */
@Injectable()
export class McpServers {
  constructor(
    private readonly fetcher: PublicFetch,
    private readonly settings: RunToolsSettings,
  ) {}

  /** @throws {McpUnavailable} before `work` begins. @throws what `work` throws. */
  async open<T>(endpoint: McpEndpoint, signal: AbortSignal, work: (session: McpSession) => Promise<T>): Promise<T> {
    const sdk = await import('@modelcontextprotocol/client');
    const client = new sdk.Client(
      { name: 'service-agents', version: '1.0.0' },
      { ...WITHOUT_SCHEMAS, listMaxPages: MAX_PAGES },
    );
    const transport = new sdk.StreamableHTTPClientTransport(new URL(endpoint.url), {
      fetch: mcpFetch(this.fetcher, endpoint, this.settings.trustedHosts),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    const begun = { signal, timeout: CONNECT_TIMEOUT_MS, maxTotalTimeout: CONNECT_TIMEOUT_MS };
    try {
      let definitions: readonly McpDefinition[];
      try {
        await client.connect(transport, begun);
        definitions = (await client.listTools(undefined, begun)).tools.slice(0, MAX_TOOLS).map(definitionOf);
      } catch (error) {
        signal.throwIfAborted();
        throw new McpUnavailable(reasonOf(error), { cause: error });
      }
      return await work({
        definitions,
        call: (name, input) => callTool(client, sdk.ProtocolError, { name, input, signal }),
      });
    } finally {
      await client.close().catch(() => undefined);
    }
  }
}

interface NamedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

async function callTool(
  client: ToolClient,
  ProtocolError: abstract new (...parameters: never[]) => Error,
  { name, input, signal }: NamedCall,
): Promise<McpCallOutcome> {
  const options = { signal, timeout: CALL_TIMEOUT_MS, maxTotalTimeout: CALL_TIMEOUT_MS };
  try {
    const result = await client.callTool({ name, arguments: { ...input } }, options);
    const { content, structuredContent: structured } = result;
    return { result: { isError: result.isError === true, content, structured } };
  } catch (error) {
    // The server itself answered with an error, so the call is over.
    if (error instanceof ProtocolError)
      return { result: { isError: true, content: [{ type: 'text', text: error.message }], structured: undefined } };
    return { unknown: reasonOf(error) };
  }
}

/** Messages of the client may hold text of the server, so only what is known is said. */
function reasonOf(error: unknown): string {
  const cause = error instanceof McpUnreachable ? error : (error as { cause?: unknown } | null)?.cause;
  if (cause instanceof McpUnreachable) return cause.message;
  return 'The MCP server did not answer as the protocol demands, or not in time.';
}
