import { readFile, stat } from 'node:fs/promises';
import type { AgentVersion, NewAgent } from '@service/client';
import { parse, stringify } from 'yaml';
import { diffOf } from './line-diff.js';
import { UsageError } from './failures.js';
import { type Paint, printable } from './terminal.js';

const MAX_BYTES = 1_048_576;

/** An agent as a file describes it. The service checks all other fields. */
export type AgentFile = NewAgent & { readonly slug: string };

/** @throws {UsageError} when the file is no YAML, or does not name an agent. */
export async function readAgentFile(path: string): Promise<AgentFile> {
  const content = await textOf(path);
  let agent: unknown;
  try {
    agent = parse(content, { maxAliasCount: 50 });
  } catch (error) {
    throw new UsageError(`${path} is not YAML: ${(error as Error).message.split('\n')[0] ?? ''}`);
  }
  const { slug, name } = (typeof agent === 'object' && agent !== null ? agent : {}) as {
    slug?: unknown;
    name?: unknown;
  };
  if (typeof slug !== 'string' || typeof name !== 'string')
    throw new UsageError(`${path} has no "slug" and "name". The slug says which agent to create or update.`);
  return agent as AgentFile;
}

async function textOf(path: string): Promise<string> {
  try {
    if ((await stat(path)).size <= MAX_BYTES) return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
  throw new UsageError(`${path} is larger than ${MAX_BYTES} bytes.`);
}

/** Shows what a version changes, line by line. */
export function versionDiff(paint: Paint, before: AgentVersion | undefined, after: AgentVersion): string {
  return diffOf(before === undefined ? '' : yamlOf(before), yamlOf(after))
    .map(({ sign, text }) => {
      const line = `${sign} ${printable(text)}`;
      return sign === '+' ? paint.green(line) : sign === '-' ? paint.red(line) : paint.dim(line);
    })
    .join('\n');
}

const NO_DEFINITION = ['agent_id', 'number', 'live', 'created_at', 'created_by'];

/** The definition as a file would have it. */
export function yamlOf(version: AgentVersion): string {
  const definition = Object.entries(version).filter(([name]) => !NO_DEFINITION.includes(name));
  return stringify(Object.fromEntries(definition), { lineWidth: 0 }).trimEnd();
}
