import type { McpDefinition } from './mcp-definition.js';

/** A tool as the client of the protocol lists it. */
interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly annotations?: unknown;
}

/** The part of the client of the protocol that lists and calls tools. */
export interface ToolClient {
  listTools(params: undefined, options: { signal: AbortSignal }): Promise<{ tools: ListedTool[] }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options: { signal: AbortSignal; timeout: number; maxTotalTimeout: number },
  ): Promise<{
    content: readonly unknown[];
    isError?: boolean | undefined;
    structuredContent?: unknown;
    _meta?: Readonly<Record<string, unknown>> | undefined;
  }>;
}

interface Accepted {
  readonly valid: true;
  readonly data: never;
  readonly errorMessage: undefined;
}

const acceptAny = (input: unknown): Accepted => ({ valid: true, data: input as never, errorMessage: undefined });

/** The options of a client that compiles no schema of a server: its patterns could block the process. */
export const WITHOUT_SCHEMAS = { jsonSchemaValidator: { getValidator: (): typeof acceptAny => acceptAny } };

export function definitionOf({ name, description = '', inputSchema, annotations }: ListedTool): McpDefinition {
  return {
    name,
    description,
    inputSchema: inputSchema as McpDefinition['inputSchema'],
    annotations: (annotations ?? {}) as McpDefinition['annotations'],
  };
}
