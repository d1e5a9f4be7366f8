import { createHash } from 'node:crypto';
import type { AgentTool } from '../../agents/agent-tool.js';

/** JSON with its keys in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'null' : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each)).join(',')}]`;
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Identifies the effect of a call: another try of the same call has the same key, and every other call another one. */
export const effectKeyOf = (runId: string, step: number, place: number): string => sha256(`${runId}/${step}/${place}`);

interface Approved {
  readonly tool: Pick<AgentTool, 'name' | 'description' | 'inputSchema' | 'effect'>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly version: { readonly agentId: string; readonly number: number };
}

/** The digest of what a person approves. What runs must have the same. */
export const approvalDigestOf = ({ tool, input, version }: Approved): string =>
  sha256(
    canonicalJson({
      tool: [tool.name, tool.description, tool.inputSchema, tool.effect],
      input,
      version: [version.agentId, version.number],
    }),
  );
