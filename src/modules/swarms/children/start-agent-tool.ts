import { Injectable } from '@nestjs/common';
import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ToolUse } from '../../agents/agent-definition.js';
import type { AgentTool, AgentToolKind, ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import { RunObservers } from '../../runs/run-observers.js';
import { faultOfJson } from '../domain/storable.js';
import { ChildRunsStore, type SeenChildRun } from '../persistence/child-runs.store.js';
import { LOCAL, objectOf, refused, succeeded } from '../tools/tool-inputs.js';
import { ChildStarts } from './child-starts.js';

const MAX_AGENTS = 20;
const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

interface StartInput {
  readonly agent: string;
  readonly input: unknown;
  readonly max_cost?: string;
  readonly wait?: boolean;
}

/** The tool with which a run starts a run of another agent. */
@Injectable()
export class StartAgentTool implements AgentToolKind {
  readonly name = 'start_agent';
  readonly summary = 'Starts a run of another agent, and waits for its output.';
  readonly scopes = ['agents:run'] as const;

  constructor(
    tools: AgentTools,
    observers: RunObservers,
    private readonly starts: ChildStarts,
    private readonly children: ChildRunsStore,
    clock: Clock,
  ) {
    tools.register(this);
    observers.register(async (run) => {
      if (run.parentRunId !== null) await this.children.end(run, clock.now());
    });
  }

  faultsOf(settings: Readonly<Record<string, unknown>>, path: string): readonly FieldFault[] {
    const { agents, ...unknown } = settings;
    const fault = (field: string, code: string, message: string): FieldFault => ({
      ...{ path: `${path}.settings.${field}`.slice(0, 200), in: 'body', code, message },
    });
    const faults = Object.keys(unknown).map((field) =>
      fault(field, 'unknown_field', 'The setting is not known: start_agent has agents.'),
    );
    if (!Array.isArray(agents) || agents.length === 0 || agents.length > MAX_AGENTS)
      return [...faults, fault('agents', 'is_agents', `agents must be a list of 1 to ${MAX_AGENTS} slugs of agents.`)];
    const isWrong = (slug: unknown): boolean => typeof slug !== 'string' || !SLUG.test(slug);
    return [
      ...faults,
      ...agents.flatMap((slug: unknown, index) =>
        isWrong(slug) ? [fault(`agents[${index}]`, 'is_slug', 'must be the slug of an agent.')] : [],
      ),
    ];
  }

  toolsOf({ settings }: ToolUse): Promise<readonly AgentTool[]> {
    const { agents } = settings as { agents: string[] };
    return Promise.resolve([
      {
        name: this.name,
        description:
          'Starts a run of another agent and returns its output when it ends. With wait: false, returns the id of ' +
          'the run at once. What the run costs counts for this one too.',
        inputSchema: objectOf(
          {
            agent: { type: 'string', enum: [...new Set(agents)] },
            input: { type: 'string', maxLength: 65_536, description: 'What the agent should do, with all it needs.' },
            max_cost: { type: 'string', maxLength: 20, description: 'The most that the run may cost, such as "0.25".' },
            wait: { type: 'boolean' },
          },
          ['agent', 'input'],
        ),
        effect: LOCAL,
        scopes: this.scopes,
        taints: false,
        isOutward: false,
        call: (call) => this.call(call),
      },
    ]);
  }

  /** Called again each time that the run is woken: the call has started its run the first time. */
  private async call(call: ToolCall): Promise<ToolOutcome> {
    const { agent, input, max_cost: maxCost, wait = true } = call.input as unknown as StartInput;
    const child = await this.children.ofCall(call.id);
    if (child !== undefined) return outcomeOf(call, child);
    const fault = faultOfJson(input);
    if (fault !== undefined) return refused('invalid_arguments', `input ${fault}.`);
    const maxCostNano = maxCost === undefined ? undefined : costOf(maxCost);
    if (maxCostNano !== undefined && maxCostNano <= 0n)
      return refused('invalid_arguments', 'max_cost must be a positive decimal amount of US dollars, such as "0.25".');
    const started = await this.starts.start(call, { agent, input, maxCostNano });
    if (typeof started !== 'string') return started;
    return wait ? { kind: 'waiting', for: 'children' } : succeeded(call.run, { run_id: started });
  }
}

function outcomeOf({ run }: ToolCall, { runId, state, output, isTainted, failureCode }: SeenChildRun): ToolOutcome {
  if (state === null) return { kind: 'waiting', for: 'children' };
  if (state === 'succeeded') return succeeded(run, { run_id: runId, output }, isTainted);
  return refused(failureCode ?? `run_${state}`, `The run ${runId} has ended without an output: ${state}.`);
}

/** Returns 0 for what is no amount. */
function costOf(text: string): bigint {
  try {
    return parseUsd(text);
  } catch {
    return 0n;
  }
}
