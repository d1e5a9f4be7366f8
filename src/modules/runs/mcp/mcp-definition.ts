import { createHash } from 'node:crypto';
import type { JsonSchema } from '../../agents/json-schema.js';
import { canonicalJson } from '../domain/digests.js';

/** A tool as an MCP server describes it. */
export interface McpDefinition {
  /** The name at the server. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What the server says about the effects of the tool. */
  readonly annotations: Readonly<Record<string, unknown>>;
}

/**
 * Returns the SHA-256 of everything that a model reads about the tool, and of what the server hints about its effects.
 * The order of keys does not count.
 */
export function digestOf({ name, description, inputSchema, annotations }: McpDefinition): string {
  const text = canonicalJson({ name, description, inputSchema, annotations });
  return createHash('sha256').update(text).digest('hex');
}

/** The name under which a model sees the tool. It cannot be that of a tool of this service. */
export const modelNameOf = (name: string): string => `mcp_${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`.slice(0, 64);
