import type { FieldFault } from '../../platform/errors/request-invalid.js';
import type { Call } from '../auth/caller.js';
import type { Scope } from '../auth/scopes.js';
import type { AgentVersion, ToolUse } from './agent-definition.js';
import type { JsonSchema } from './json-schema.js';

/**
 * What a crash in the middle of a call of the tool means.
 *
 * - `local`: the effect is rows of this service. It commits with the result of the call, so it happens exactly once.
 * - `read`: no effect. It is repeated.
 * - `keyed`: the target knows {@link ToolCall.effectKey} and does the same thing once. It is repeated.
 * - `once`: it is never repeated. The outcome is unknown, and a person or the model is notified.
 */
export type EffectClass = 'local' | 'read' | 'keyed' | 'once';

/** Who started a run, and what its calls draw from. */
export interface RunStart {
  readonly id: string;
  readonly orgId: string;
  readonly userId: string;
  /** Null for a run that a person started in a session. */
  readonly keyId: string | null;
  readonly budgetSubjects: readonly string[];
}

/** The run that calls a tool. */
export interface CallingRun {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly agentVersion: number;
  readonly parentRunId: string | null;
  readonly swarmId: string | null;
  /** True once the run has read text from outside of the service. */
  readonly isTainted: boolean;
}

export interface ToolCall<Input = Readonly<Record<string, unknown>>> {
  /** `tcl_…` */
  readonly id: string;
  /** The arguments of the model, which fit {@link AgentTool.inputSchema}. */
  readonly input: Input;
  /** Identifies the effect: the same after a crash, and different for every other call. 64 hex digits. */
  readonly effectKey: string;
  /** When the call began. Null for a call that begins now, and not again after a crash. */
  readonly begunAt: Date | null;
  /** Acts with the permissions of the person who started the run, within the scopes of the version. */
  readonly caller: Call;
  readonly run: CallingRun;
  /** Aborted when the run is cancelled, or its worker stops or loses it. */
  readonly signal: AbortSignal;
  /** Returns a secret of the agent, or undefined. Results of tools are masked, so that no model sees it. */
  readonly secret: (name: string) => Promise<string | undefined>;
}

/** How a call of a tool ended, or what it waits for. */
export type ToolOutcome =
  | {
      readonly kind: 'succeeded';
      readonly output: unknown;
      /** True when this output is text from outside of the service, although that of other calls is not. */
      readonly taints?: boolean;
    }
  /** The model reads why, and may try something else. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** The call is executed again when the run is woken. Only tools of class `local` and `read` may wait. */
  | {
      readonly kind: 'waiting';
      readonly for: 'answer' | 'children' | 'timer';
      /** When the run wakes by itself. */
      readonly until?: Date;
    }
  /** The effect may have happened, and it is not repeated. */
  | { readonly kind: 'unknown'; readonly message: string };

/** A tool as the model sees it, and how it is called. */
export interface AgentTool {
  /** What the model calls it: `[a-zA-Z0-9_-]{1,64}`, unique in the version. */
  readonly name: string;
  readonly description: string;
  /** An object without additional properties. */
  readonly inputSchema: JsonSchema;
  readonly effect: EffectClass;
  /** Checked again before each call. */
  readonly scopes: readonly Scope[];
  /** True when its output is text from outside of the service, which marks the run. */
  readonly taints: boolean;
  /** True when it changes something that people outside of the run see: a marked run asks for approval first. */
  readonly isOutward: boolean;

  /** Returns true when these arguments always need approval, unless the version says `never`. */
  needsApproval?(input: Readonly<Record<string, unknown>>): boolean;

  /**
   * Calls the tool. A tool of class `local` runs in the transaction that commits its result. An error of the service
   * with a status below 500 becomes a failed call, and the model reads its code and message.
   */
  call(call: ToolCall): Promise<ToolOutcome>;
}

/** A kind of tools. A version names it, with settings. */
export interface AgentToolKind {
  readonly name: string;
  /** One sentence for people. */
  readonly summary: string;
  /** Scopes that a version needs to use it. */
  readonly scopes: readonly Scope[];

  /** Returns what is wrong with the settings; `path` is where they are in the body, such as `tools[0]`. */
  faultsOf(settings: Readonly<Record<string, unknown>>, path: string): readonly FieldFault[];

  /** Returns which resources in the settings the organization does not have. Asked when a version is made. */
  missingOf?(settings: Readonly<Record<string, unknown>>, path: string, orgId: string): Promise<readonly FieldFault[]>;

  /** Returns the tools that a version gets in a run. Most kinds have one, the same in every run. */
  toolsOf(use: ToolUse, version: AgentVersion, run: RunStart): Promise<readonly AgentTool[]>;
}
