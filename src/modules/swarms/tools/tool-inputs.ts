import type { AgentTool, CallingRun, EffectClass, ToolOutcome } from '../../agents/agent-tool.js';
import type { JsonSchema } from '../../agents/json-schema.js';

/** What the tools of boards differ in. */
export type BoardTool = Pick<AgentTool, 'name' | 'description' | 'inputSchema' | 'call'>;

export const LOCAL: EffectClass = 'local';

/** An object without additional properties. */
export const objectOf = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

export const refused = (code: string, message: string): ToolOutcome => ({ kind: 'failed', code, message });

/** A marked run does not become more so by what it reads. */
export const succeeded = (run: CallingRun, output: unknown, taints = false): ToolOutcome => ({
  kind: 'succeeded',
  output,
  ...(taints && !run.isTainted ? { taints } : {}),
});
