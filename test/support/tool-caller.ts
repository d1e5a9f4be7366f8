import { createHash } from 'node:crypto';
import type { AgentTool, CallingRun, RunStart, ToolCall, ToolOutcome } from '../../src/modules/agents/agent-tool.js';
import { AgentTools } from '../../src/modules/agents/agent-tools.js';
import type { AgentVersion } from '../../src/modules/agents/agent-definition.js';
import { MembershipDirectory } from '../../src/modules/auth/membership-directory.js';
import { PersonDirectory } from '../../src/modules/auth/person-directory.js';
import { Principal } from '../../src/modules/auth/principal.js';
import { type Scope, SCOPES } from '../../src/modules/auth/scopes.js';
import type { FieldFault } from '../../src/platform/errors/request-invalid.js';
import type { Org, Person } from './make.js';
import type { TestApp } from './test-app.js';

export interface ToolCallOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** The seed of the effect key. Each call has one of its own unless a test is about that. */
  readonly effect?: string;
  readonly scopes?: readonly Scope[];
  readonly budgetSubjects?: readonly string[];
  readonly signal?: AbortSignal;
  /** The tool of the kind, for kinds with several. */
  readonly tool?: string;
  readonly run?: Partial<CallingRun>;
}

/** A run that nobody looks at. */
export const RUN_START: RunStart = {
  id: 'run_test',
  orgId: 'org_test',
  userId: 'usr_test',
  keyId: null,
  budgetSubjects: [],
};

let effects = 0;

/** Calls tools of agents as runs that a person started would. */
export class ToolCaller {
  constructor(
    private readonly app: TestApp,
    private readonly org: Pick<Org, 'id'>,
    private readonly person: Person,
  ) {}

  faults(kind: string, settings: Readonly<Record<string, unknown>>): readonly FieldFault[] {
    return this.app.get(AgentTools).find(kind)!.faultsOf(settings, 'tools[0]');
  }

  async tools(kind: string, settings: Readonly<Record<string, unknown>> = {}): Promise<readonly AgentTool[]> {
    const use = { name: kind, approval: 'auto', unknownOutcome: 'ask', settings } as const;
    const version = { orgId: this.org.id, agentId: 'agt_test', number: 1, tools: [use], scopes: SCOPES };
    const run = { ...RUN_START, orgId: this.org.id, userId: this.person.user.id };
    return this.app
      .get(AgentTools)
      .find(kind)!
      .toolsOf(use, version as unknown as AgentVersion, run);
  }

  async call(kind: string, input: object, options: ToolCallOptions = {}): Promise<ToolOutcome> {
    const tools = await this.tools(kind, options.settings);
    const tool = options.tool === undefined ? tools[0]! : tools.find(({ name }) => name === options.tool)!;
    return tool.call(await this.callOf(input, options));
  }

  /** @throws {Error} with the outcome of a call that did not succeed. */
  async output<Output = any>(kind: string, input: object, options?: ToolCallOptions): Promise<Output> {
    const outcome = await this.call(kind, input, options);
    if (outcome.kind !== 'succeeded') throw new Error(`${kind}: ${JSON.stringify(outcome)}`);
    // It is stored as JSON.
    return JSON.parse(JSON.stringify(outcome.output)) as Output;
  }

  private async callOf(input: object, options: ToolCallOptions): Promise<ToolCall> {
    const { id: orgId } = this.org;
    const memberships = (await this.app.get(MembershipDirectory).listOf(this.person.user.id)).filter(
      ({ id }) => id === orgId,
    );
    const user = (await this.app.get(PersonDirectory).find(this.person.user.id))!;
    const principal = new Principal({
      user,
      credential: { type: 'session', sessionId: 'run_test', inCookie: false, prolonged: false },
      memberships,
      homeOrgId: orgId,
      within: new Set(options.scopes ?? SCOPES),
    });
    const seed = options.effect ?? `effect ${++effects}`;
    return {
      id: 'tcl_test',
      input: input as Readonly<Record<string, unknown>>,
      effectKey: createHash('sha256').update(seed).digest('hex'),
      begunAt: null,
      caller: {
        principal,
        org: memberships[0]!,
        ip: '127.0.0.1',
        requestId: 'req_test',
        ...(options.budgetSubjects === undefined ? {} : { budgetSubjects: options.budgetSubjects }),
      },
      run: {
        id: 'run_test',
        orgId,
        agentId: 'agt_test',
        agentVersion: 1,
        parentRunId: null,
        swarmId: null,
        isTainted: false,
        ...options.run,
      },
      signal: options.signal ?? new AbortController().signal,
      secret: (name) => Promise.resolve(options.secrets?.[name]),
    };
  }
}
