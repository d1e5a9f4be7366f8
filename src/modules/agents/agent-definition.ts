import type { JsonSchema } from './json-schema.js';
import type { Scope } from '../auth/scopes.js';

/** When a call of a tool waits for the decision of a person. */
export const APPROVAL_RULES = ['auto', 'always', 'never'] as const;
/**
 * `auto` asks when the tool demands it for these arguments, such as a production deploy, and before an effect outside
 * of the service that cannot be repeated or undone, once the run has read untrusted text.
 */
export type ApprovalRule = (typeof APPROVAL_RULES)[number];

/** What happens when a crash leaves it unknown whether an effect happened: ask a person, or notify the model. */
export const UNKNOWN_OUTCOME_RULES = ['ask', 'tell_model'] as const;
export type UnknownOutcomeRule = (typeof UNKNOWN_OUTCOME_RULES)[number];

/** A tool that a version uses, with its settings. */
export interface ToolUse {
  /** The kind of tool, such as `http_get`. */
  readonly name: string;
  readonly approval: ApprovalRule;
  readonly unknownOutcome: UnknownOutcomeRule;
  /** What the kind of tool takes, such as `hosts`. The kind has checked it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The limits of one run. */
export interface RunBudget {
  /** The money that the run and all runs below it may spend, in nano-dollars. */
  readonly costNano: bigint;
  readonly steps: number;
  /** The time during which the run is active. Waiting does not count. */
  readonly activeMs: number;
  readonly toolCalls: number;
}

/** A part of the memory that is always in the context of the model. */
export interface MemoryBlock {
  readonly label: string;
  readonly description?: string | undefined;
  /** The text that a new agent begins with. */
  readonly value: string;
}

/** What a version of an agent consists of. It never changes. */
export interface AgentDefinition {
  readonly instructions: string;
  /** The first model answers, and the others when it is unavailable. */
  readonly models: readonly string[];
  readonly tools: readonly ToolUse[];
  /** What a run may do at most; the caller who starts it may be allowed less. */
  readonly scopes: readonly Scope[];
  readonly budget: RunBudget;
  /** The most that all runs of the agent may spend in a month, in nano-dollars. Null means no limit. */
  readonly monthlyCostNano: bigint | null;
  readonly approvalExpiresMs: number;
  readonly memory: { readonly blocks: readonly MemoryBlock[]; readonly archive: boolean };
  /** The JSON Schema of the output. Null means text. */
  readonly outputSchema: JsonSchema | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
}

/** A version with what identifies it. */
export interface AgentVersion extends AgentDefinition {
  readonly agentId: string;
  readonly orgId: string;
  readonly number: number;
}

/** An agent as other modules see it. */
export interface AgentFacts {
  readonly id: string;
  readonly orgId: string;
  readonly slug: string;
  readonly name: string;
  /** False for an agent that a person or a smaller plan has paused. */
  readonly isActive: boolean;
  readonly liveVersion: number;
}
