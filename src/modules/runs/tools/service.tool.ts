import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { Clock } from '../../../platform/time/clock.js';
import type { AgentVersion, ToolUse } from '../../agents/agent-definition.js';
import type { AgentTool, AgentToolKind, RunStart, ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { WorkGrant } from '../../auth/access-tokens.js';
import type { Scope } from '../../auth/scopes.js';
import type { McpDefinition } from '../mcp/mcp-definition.js';
import { OwnServer, type OwnServerCaller, type OwnToolResult, OwnServerUnavailable } from '../mcp/own-server.js';
import { storable } from './bounded-text.js';
import { SERVICE_TOOL_GROUPS, SERVICE_TOOL_NAMES } from './service-tools.js';
import { settingFault, unknownSettings } from './setting-faults.js';
import { failed, succeeded } from './single-tool.js';

const MAX_TOOLS = 50;
/** What a caller may use changes seldom, and each call is checked again. */
const LISTED_FOR_MS = 60_000;
/** An `Idempotency-Key` is kept for a day. A call that is repeated later could happen twice. */
const REPEATABLE_MS = 23 * 3_600_000;

interface Listed {
  readonly atMs: number;
  readonly definitions: readonly McpDefinition[];
}

interface Settings {
  readonly features?: readonly string[];
  readonly tools?: readonly string[];
  readonly read_only?: boolean;
  readonly project?: string;
  readonly writes?: 'main';
}

/**
 * The tools of the MCP server of this service: what a run may do of what the API does, through the door that every
 * other client uses.
 */
@Injectable()
export class ServiceTool implements AgentToolKind {
  readonly name = 'service';
  readonly summary = 'Uses this service: every tool of its MCP server that the scopes allow.';
  /** Each tool has those of its endpoint. */
  readonly scopes: readonly Scope[] = [];
  private readonly listed = new LRUCache<string, Listed>({ max: 200 });

  constructor(
    tools: AgentTools,
    private readonly server: OwnServer,
    private readonly clock: Clock,
  ) {
    tools.register(this);
  }

  faultsOf(settings: Readonly<Record<string, unknown>>, path: string): readonly FieldFault[] {
    const { features, tools, read_only: readOnly, project, writes } = settings;
    const groups = `must be a list of ${SERVICE_TOOL_GROUPS.join(', ')}.`;
    return [
      ...unknownSettings(settings, ['features', 'tools', 'read_only', 'project', 'writes'], path),
      ...faultIf(!isListOf(features, (name) => SERVICE_TOOL_GROUPS.includes(name)), [path, 'features', groups]),
      ...faultIf(!isListOf(tools, (name) => SERVICE_TOOL_NAMES.has(name)), [
        path,
        'tools',
        'must be a list of tools of the MCP server. Tools that start runs are not among them: use start_agent.',
      ]),
      ...faultIf(!['undefined', 'boolean'].includes(typeof readOnly), [path, 'read_only', 'must be true or false.']),
      ...faultIf(project !== undefined && !isName(project), [path, 'project', 'must be the id or slug of a project.']),
      ...faultIf(writes !== undefined && writes !== 'main', [path, 'writes', 'must be main.']),
    ];
  }

  async toolsOf({ settings }: ToolUse, version: AgentVersion, run: RunStart): Promise<readonly AgentTool[]> {
    const { tools } = settings as Settings;
    const caller = { grant: grantOf(version, run), narrowing: narrowingOf(settings) };
    const definitions = await this.definitionsFor(caller);
    return definitions
      .filter(({ name }) => tools === undefined || tools.includes(name))
      .map((definition) => this.toolOf(caller, definition));
  }

  private async definitionsFor(caller: OwnServerCaller): Promise<readonly McpDefinition[]> {
    const { orgId, userId, keyId, scopes } = caller.grant.work;
    const key = [orgId, userId, keyId ?? '', ...scopes, caller.narrowing].join(' ');
    const known = this.listed.get(key);
    const nowMs = this.clock.now().getTime();
    if (known !== undefined && nowMs - known.atMs < LISTED_FOR_MS) return known.definitions;
    try {
      const definitions = await this.server.list(caller);
      this.listed.set(key, { atMs: nowMs, definitions });
      return definitions;
    } catch (error) {
      // A run does not end because the API is unavailable for a while. Its calls fail, and the model reads why.
      if (!(error instanceof OwnServerUnavailable) || known === undefined) throw error;
      return known.definitions;
    }
  }

  private toolOf(caller: OwnServerCaller, { name, description, inputSchema, annotations }: McpDefinition): AgentTool {
    const reads = annotations['readOnlyHint'] === true;
    const destroys = annotations['destructiveHint'] === true;
    return {
      name,
      description,
      inputSchema,
      effect: reads ? 'read' : 'keyed',
      scopes: [],
      taints: false,
      isOutward: !reads,
      // A preview replaces nothing that visitors see, and a session ends by itself when it is not used.
      needsApproval: (input) =>
        destroys && name !== 'end_session' && (name !== 'deploy_project' || input['type'] === 'production'),
      call: (call) => this.call(caller, name, reads, call),
    };
  }

  private async call(caller: OwnServerCaller, name: string, reads: boolean, call: ToolCall): Promise<ToolOutcome> {
    const { input, effectKey, signal, begunAt } = call;
    if (!reads && begunAt !== null && this.clock.now().getTime() - begunAt.getTime() > REPEATABLE_MS)
      return { kind: 'unknown', message: 'The worker was lost during the call, a day ago.' };
    try {
      const idempotencyKey = reads ? undefined : effectKey;
      return outcomeOf(await this.server.call(caller, { name, input, idempotencyKey, signal }));
    } catch (error) {
      if (!(error instanceof OwnServerUnavailable)) throw error;
      return reads ? failed('service_unavailable', error.message) : { kind: 'unknown', message: error.message };
    }
  }
}

/** The run acts as the person who started it, within the scopes of the version. */
const grantOf = ({ scopes }: AgentVersion, { id, orgId, userId, keyId, budgetSubjects }: RunStart): WorkGrant => ({
  work: { id, orgId, userId, keyId, scopes },
  budgetSubjects,
});

function narrowingOf({ features, read_only: readOnly, project, writes }: Settings): string {
  const query = new URLSearchParams({ features: (features ?? SERVICE_TOOL_GROUPS).join(',') });
  if (readOnly === true) query.set('read_only', '1');
  if (project !== undefined) query.set('project', project);
  if (writes !== undefined) query.set('writes', writes);
  return query.toString();
}

function outcomeOf({ isError, text, structured, quotes }: OwnToolResult): ToolOutcome {
  if (isError) return failureIn(text);
  return { ...succeeded(structured ?? { text: storable(text) }), ...(quotes ? { taints: true } : {}) };
}

/** Refusals of the service are JSON with a code, a message and often a hint. */
function failureIn(text: string): ToolOutcome {
  try {
    const { code, message, hint } = (JSON.parse(text) as { error: { code: string; message: string; hint?: string } })
      .error;
    return failed(code, hint === undefined ? message : `${message} ${hint}`);
  } catch {
    return failed('tool_failed', text);
  }
}

const faultIf = (isFault: boolean, [path, name, rule]: readonly [string, string, string]): readonly FieldFault[] =>
  isFault ? [settingFault(path, name, `is_${name}`, rule)] : [];

const isListOf = (value: unknown, isMember: (name: string) => boolean): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_TOOLS &&
    value.every((name) => typeof name === 'string' && isMember(name)));

const isName = (value: unknown): boolean => typeof value === 'string' && /^[\w.-]{1,100}$/.test(value);
