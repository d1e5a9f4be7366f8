import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { TOOL_GROUPS, type ToolGroup } from '../tools/tool.js';
import type { Narrowing } from './mcp-session.js';

const PARAMETERS = ['read_only', 'org', 'project', 'features', 'writes'];
const TEXT_LENGTH = 200;

/**
 * Reads how the address narrows the server. `org` is applied by the guards, before this runs.
 *
 * @throws {RequestInvalid} `invalid_request` for a parameter that is unknown, repeated, or has no such value, because
 * an address that should narrow must not silently allow more.
 */
export function narrowingOf(query: Readonly<Record<string, unknown>>): Narrowing {
  for (const name of Object.keys(query)) if (!PARAMETERS.includes(name)) throw invalid(name, PARAMETERS);
  const readOnly = textOf(query, 'read_only') ?? '0';
  if (!['0', '1', 'true', 'false'].includes(readOnly)) throw invalid('read_only', ['0', '1']);
  const writes = textOf(query, 'writes') ?? 'branches';
  if (writes !== 'branches' && writes !== 'main') throw invalid('writes', ['branches', 'main']);
  textOf(query, 'org');
  return {
    readOnly: readOnly === '1' || readOnly === 'true',
    project: textOf(query, 'project'),
    groups: groupsOf(textOf(query, 'features')),
    writes,
  };
}

function groupsOf(text: string | undefined): ReadonlySet<ToolGroup> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !TOOL_GROUPS.some((group) => group === name));
  if (unknown !== undefined) throw invalid('features', TOOL_GROUPS);
  return new Set(names as ToolGroup[]);
}

function textOf(query: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > TEXT_LENGTH) throw invalid(name, 'one value');
  return value;
}

const invalid = (path: string, expected: unknown): RequestInvalid =>
  new RequestInvalid([
    {
      path,
      in: 'query',
      code: 'narrowing',
      message: `${path.slice(0, TEXT_LENGTH)} does not narrow the server in a known way.`,
      expected,
    },
  ]);
