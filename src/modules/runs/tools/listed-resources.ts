import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import type { ToolOutcome } from '../../agents/agent-tool.js';
import { storable } from './bounded-text.js';
import { settingFault } from './setting-faults.js';
import { failed, type ToolSettings } from './single-tool.js';

const MAX_LISTED = 50;
const MAX_NAME_LENGTH = 100;

/** What a version can list in a setting of the same name. */
export type ResourceKind = 'databases' | 'buckets';

/** Checks the form of a list of ids and names. Whether they exist is another question: {@link missingFaults}. */
export function listFaults(settings: ToolSettings, kind: ResourceKind, path: string): readonly FieldFault[] {
  const listed = settings[kind];
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > MAX_LISTED)
    return [settingFault(path, kind, 'is_list', `must be a list of 1 to ${MAX_LISTED} ids or names of ${kind}.`)];
  return (listed as unknown[]).flatMap((each, index) =>
    isName(each) ? [] : [settingFault(path, `${kind}[${index}]`, 'is_id_or_name', 'must be an id or a name.')],
  );
}

/** Reports the listed resources that the organization does not have. Entries that are no names are not looked for. */
export async function missingFaults(
  settings: ToolSettings,
  { kind, path }: { readonly kind: ResourceKind; readonly path: string },
  missing: (idsOrNames: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly FieldFault[]> {
  const listed = Array.isArray(settings[kind]) ? (settings[kind] as unknown[]).slice(0, MAX_LISTED) : [];
  const absent = await missing(listed.filter(isName));
  return listed.flatMap((each, index) =>
    isName(each) && absent.includes(each)
      ? [settingFault(path, `${kind}[${index}]`, 'exists', `names nothing that the organization has: ${each}.`)]
      : [],
  );
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME_LENGTH;

/** True when the version lists one of these ids and names, or lists none. */
export function isListed(settings: ToolSettings, kind: ResourceKind, idsAndNames: readonly string[]): boolean {
  const listed = settings[kind] as readonly string[] | undefined;
  return listed === undefined || listed.some((each) => idsAndNames.includes(each));
}

export function notListed(settings: ToolSettings, kind: ResourceKind, name: string): ToolOutcome {
  const listed = (settings[kind] as readonly string[]).map(storable).join(', ');
  return failed(`${kind.slice(0, -1)}_not_listed`, `This agent may not use ${storable(name)}. It may use: ${listed}.`);
}
