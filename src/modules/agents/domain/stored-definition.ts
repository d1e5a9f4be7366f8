import { formatUsd, parseUsd } from '../../../platform/money/nano-dollars.js';
import type { Scope } from '../../auth/scopes.js';
import type { AgentDefinition, ApprovalRule, UnknownOutcomeRule } from '../agent-definition.js';
import type { JsonSchema } from '../json-schema.js';

/** A definition as it is stored and as the API shows it, in this order of fields, so that versions can be compared. */
export interface StoredDefinition {
  readonly instructions: string;
  readonly models: readonly string[];
  readonly tools: readonly {
    readonly name: string;
    readonly approval: ApprovalRule;
    readonly unknown_outcome: UnknownOutcomeRule;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
  readonly scopes: readonly Scope[];
  readonly budget: {
    readonly cost: string;
    readonly steps: number;
    readonly active_seconds: number;
    readonly tool_calls: number;
  };
  readonly monthly_cost: string | null;
  readonly approval_expires_seconds: number;
  readonly memory: {
    readonly blocks: readonly { readonly label: string; readonly description?: string; readonly value: string }[];
    readonly archive: boolean;
  };
  readonly output_schema: JsonSchema | null;
  readonly max_output_tokens: number | null;
  readonly temperature: number | null;
}

export function storedOf(definition: AgentDefinition): StoredDefinition {
  const { budget, memory, monthlyCostNano } = definition;
  return {
    instructions: definition.instructions,
    models: definition.models,
    tools: definition.tools.map(({ name, approval, unknownOutcome, settings }) => ({
      name,
      approval,
      unknown_outcome: unknownOutcome,
      settings,
    })),
    scopes: definition.scopes,
    budget: {
      cost: formatUsd(budget.costNano),
      steps: budget.steps,
      active_seconds: budget.activeMs / 1_000,
      tool_calls: budget.toolCalls,
    },
    monthly_cost: monthlyCostNano === null ? null : formatUsd(monthlyCostNano),
    approval_expires_seconds: definition.approvalExpiresMs / 1_000,
    memory: {
      blocks: memory.blocks.map(({ label, description, value }) => ({
        label,
        ...(description === undefined ? {} : { description }),
        value,
      })),
      archive: memory.archive,
    },
    output_schema: definition.outputSchema,
    max_output_tokens: definition.maxOutputTokens,
    temperature: definition.temperature,
  };
}

export function definitionOf(stored: StoredDefinition): AgentDefinition {
  const { budget, monthly_cost: monthlyCost } = stored;
  return {
    instructions: stored.instructions,
    models: stored.models,
    tools: stored.tools.map(({ name, approval, unknown_outcome: unknownOutcome, settings }) => ({
      name,
      approval,
      unknownOutcome,
      settings,
    })),
    scopes: stored.scopes,
    budget: {
      costNano: parseUsd(budget.cost),
      steps: budget.steps,
      activeMs: budget.active_seconds * 1_000,
      toolCalls: budget.tool_calls,
    },
    monthlyCostNano: monthlyCost === null ? null : parseUsd(monthlyCost),
    approvalExpiresMs: stored.approval_expires_seconds * 1_000,
    memory: stored.memory,
    outputSchema: stored.output_schema,
    maxOutputTokens: stored.max_output_tokens,
    temperature: stored.temperature,
  };
}

/** True when the definitions are written in the same way. */
export const isSameDefinition = (one: AgentDefinition, other: AgentDefinition): boolean =>
  JSON.stringify(storedOf(one)) === JSON.stringify(storedOf(other));
