import { Injectable } from '@nestjs/common';
import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { AgentVersion, ToolUse } from '../../agents/agent-definition.js';
import { AgentSecretsService } from '../../agents/agent-secrets.service.js';
import type { AgentTool, AgentToolKind, ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { JsonSchema } from '../../agents/json-schema.js';
import { JsonSchemas } from '../../agents/json-schemas.js';
import type { Scope } from '../../auth/scopes.js';
import { digestOf, type McpDefinition, modelNameOf } from '../mcp/mcp-definition.js';
import { McpDefinitions } from '../mcp/mcp-definitions.js';
import { type McpResult, McpServers, type McpSession, McpUnavailable } from '../mcp/mcp-servers.js';
import { RunToolsSettings } from '../run-tools.settings.js';
import { storable } from './bounded-text.js';
import { cutToBytes } from '../../../platform/text/cut-text.js';
import { fillHeaders, missingSecret } from './secret-headers.js';
import { headerFaults, settingFault, unknownSettings, urlFaults } from './setting-faults.js';
import { failed, succeeded } from './single-tool.js';

const MAX_TOOLS = 50;
const MAX_DESCRIPTION = 8_000;
const MAX_TEXT_BYTES = 196_608;

interface PinnedTool {
  readonly name: string;
  readonly digest: string;
  readonly trusted?: boolean;
}

interface Settings {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tools: readonly PinnedTool[];
}

/** The tools of an MCP server that a person has looked at and pinned. */
@Injectable()
export class McpTool implements AgentToolKind {
  readonly name = 'mcp';
  readonly summary = 'Calls pinned tools of an MCP server.';
  readonly scopes: readonly Scope[] = [];

  constructor(
    tools: AgentTools,
    private readonly servers: McpServers,
    private readonly definitions: McpDefinitions,
    private readonly secrets: AgentSecretsService,
    private readonly schemas: JsonSchemas,
    private readonly settings: RunToolsSettings,
  ) {
    tools.register(this);
  }

  faultsOf(settings: Readonly<Record<string, unknown>>, path: string): readonly FieldFault[] {
    const { url, headers, tools } = settings;
    return [
      ...unknownSettings(settings, ['url', 'headers', 'tools'], path),
      ...urlFaults(url, path, this.settings.trustedHosts),
      ...(headers === undefined ? [] : headerFaults(headers, path)),
      ...pinFaults(tools, path),
    ];
  }

  async toolsOf({ settings }: ToolUse, version: AgentVersion): Promise<readonly AgentTool[]> {
    const use = settings as unknown as Settings;
    const digests = use.tools.map(({ digest }) => digest);
    const key = [version.agentId, use.url, ...digests].join(' ');
    const known = await this.definitions.of(digests, key, async () => {
      const filled = await fillHeaders(use.headers ?? {}, (name) => this.secrets.valueOf(version.agentId, name));
      return 'missing' in filled ? undefined : { url: use.url, headers: filled.headers };
    });
    return use.tools.map((pinned) => {
      const definition = known.get(pinned.digest);
      return this.toolOf(use, pinned, definition?.name === pinned.name ? definition : undefined);
    });
  }

  private toolOf(use: Settings, pinned: PinnedTool, definition: McpDefinition | undefined): AgentTool {
    const reads = pinned.trusted === true && definition?.annotations['readOnlyHint'] === true;
    return {
      name: modelNameOf(pinned.name),
      ...this.shownOf(definition),
      effect: reads ? 'read' : 'once',
      scopes: [],
      taints: true,
      isOutward: !reads,
      call: (call) => this.call(use, pinned, { call, reads }),
    };
  }

  /** A schema that could take too long to check is shown to the model, and checked by the server alone. */
  private shownOf(definition: McpDefinition | undefined): { description: string; inputSchema: JsonSchema } {
    if (definition === undefined)
      return { description: 'Not available: the server does not have it as pinned.', inputSchema: { type: 'object' } };
    const { description, inputSchema } = definition;
    const isChecked = inputSchema['type'] === 'object' && this.schemas.faultsOf(inputSchema).length === 0;
    const text = isChecked ? description : `${description}\nJSON Schema of the input: ${JSON.stringify(inputSchema)}`;
    return {
      description: storable(text.slice(0, MAX_DESCRIPTION)),
      inputSchema: isChecked ? inputSchema : { type: 'object' },
    };
  }

  private async call(
    { url, headers = {} }: Settings,
    pinned: PinnedTool,
    { call, reads }: { readonly call: ToolCall; readonly reads: boolean },
  ): Promise<ToolOutcome> {
    const filled = await fillHeaders(headers, call.secret);
    if ('missing' in filled) return missingSecret(filled.missing);
    try {
      return await this.servers.open({ url, headers: filled.headers }, call.signal, (session) =>
        callPinned(session, pinned, { call, reads }),
      );
    } catch (error) {
      if (!(error instanceof McpUnavailable)) throw error;
      return failed('mcp_unavailable', `${error.message} Nothing was called.`);
    }
  }
}

async function callPinned(
  session: McpSession,
  { name, digest }: PinnedTool,
  { call, reads }: { readonly call: ToolCall; readonly reads: boolean },
): Promise<ToolOutcome> {
  const definition = session.definitions.find((each) => each.name === name);
  if (definition === undefined || digestOf(definition) !== digest)
    return failed('tool_changed', 'The server has another definition of the tool than a person has pinned.');
  const outcome = await session.call(name, call.input);
  if ('result' in outcome) return succeeded(outputOf(outcome.result));
  if (!reads) return { kind: 'unknown', message: outcome.unknown };
  call.signal.throwIfAborted();
  return failed('mcp_unavailable', outcome.unknown);
}

function outputOf({ isError, content, structured }: McpResult): object {
  const blocks = content as readonly { readonly type?: unknown; readonly text?: unknown }[];
  const texts = blocks.map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type).slice(0, 50)}]`));
  const { text, isCut } = cutToBytes(texts.join('\n'), MAX_TEXT_BYTES);
  const json = structured === undefined ? undefined : JSON.stringify(structured);
  // Servers repeat what is structured as text. It is shown once.
  const isShort = json !== undefined && json.length <= MAX_TEXT_BYTES;
  return {
    is_error: isError,
    ...(isShort ? { structured } : { text: storable(text), truncated: isCut }),
    ...(isShort && texts.length > 0 && texts[0] !== json ? { text: storable(text), truncated: isCut } : {}),
  };
}

function pinFaults(tools: unknown, path: string): readonly FieldFault[] {
  if (!Array.isArray(tools) || tools.length === 0 || tools.length > MAX_TOOLS)
    return [settingFault(path, 'tools', 'is_tools', `must be a list of 1 to ${MAX_TOOLS} tools with their digests.`)];
  const rule = 'must be {"name", "digest", "trusted"?} as POST /api/v1/agents/tools/mcp returns them.';
  const names = new Set<string>();
  return (tools as unknown[]).flatMap((tool, index) => {
    if (!isPinned(tool)) return [settingFault(path, `tools[${index}]`, 'is_pinned', rule)];
    const name = modelNameOf(tool.name);
    if (names.has(name)) return [settingFault(path, `tools[${index}].name`, 'is_unique', 'must be unique.')];
    names.add(name);
    return [];
  });
}

function isPinned(tool: unknown): tool is PinnedTool {
  if (typeof tool !== 'object' || tool === null || Array.isArray(tool)) return false;
  const { name, digest, trusted, ...more } = tool as Record<string, unknown>;
  const isNamed = typeof name === 'string' && name !== '' && name.length <= 128;
  const isDigest = typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest);
  return isNamed && isDigest && ['undefined', 'boolean'].includes(typeof trusted) && Object.keys(more).length === 0;
}
