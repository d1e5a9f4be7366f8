import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { ToolUse } from '../../agents/agent-definition.js';
import type { AgentTool, AgentToolKind, EffectClass, ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import type { JsonSchema } from '../../agents/json-schema.js';
import type { Scope } from '../../auth/scopes.js';
import { unknownSettings } from './setting-faults.js';

export type ToolSettings = Readonly<Record<string, unknown>>;

/** A kind that has one tool, with the name of the kind. */
export abstract class SingleTool implements AgentToolKind {
  abstract readonly name: string;
  abstract readonly summary: string;
  /** What the model reads. */
  abstract readonly description: string;
  abstract readonly inputSchema: JsonSchema;
  abstract readonly effect: EffectClass;
  readonly scopes: readonly Scope[] = [];
  readonly taints: boolean = false;
  readonly isOutward: boolean = false;

  faultsOf(settings: ToolSettings, path: string): readonly FieldFault[] {
    return unknownSettings(settings, [], path);
  }

  toolsOf({ settings }: ToolUse): Promise<readonly AgentTool[]> {
    const { name, description, inputSchema, effect, scopes, taints, isOutward } = this;
    return Promise.resolve([
      {
        name,
        description,
        inputSchema,
        effect,
        scopes,
        taints,
        isOutward,
        needsApproval: (input) => this.needsApproval?.(input, settings) ?? false,
        call: (call) => this.call(call, settings),
      },
    ]);
  }

  protected needsApproval?(input: Readonly<Record<string, unknown>>, settings: ToolSettings): boolean;

  protected abstract call(call: ToolCall, settings: ToolSettings): Promise<ToolOutcome>;
}

/** An object without additional properties. Those that are not `optional` are required. */
export const inputOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

export const failed = (code: string, message: string): ToolOutcome => ({ kind: 'failed', code, message });
export const succeeded = (output: unknown): ToolOutcome => ({ kind: 'succeeded', output });
