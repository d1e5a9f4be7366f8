import { isObject, memberOf, type ScimChange } from './scim-operations.js';
import { badPath, badValue, ScimRefusal } from './scim-refusal.js';
import { requiredText, textOrNull } from './scim-values.js';

const MAX_CHANGED_MEMBERS = 5_000;
const IGNORED = new Set(['id', 'schemas', 'meta', 'description']);

export interface GroupAttributes {
  readonly displayName: string;
  readonly externalId: string | null;
}

/** What happens to the members of a group. */
export interface MemberChanges {
  /** True when all members go first. */
  readonly clears: boolean;
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

export interface GroupChange {
  readonly attributes: GroupAttributes;
  readonly members: MemberChanges;
}

const EMPTY: GroupAttributes = { displayName: '', externalId: null };

/** Returns the group that a POST creates, or a PUT leaves. @throws {ScimRefusal} */
export const replacedGroup = (changes: readonly ScimChange[]): GroupChange => {
  const { attributes, members } = changedGroup(EMPTY, changes);
  return { attributes, members: { ...members, clears: true } };
};

/** Applies changes one after the other. @throws {ScimRefusal} */
export function changedGroup(before: GroupAttributes, changes: readonly ScimChange[]): GroupChange {
  const draft = { ...before };
  const members = new MemberDraft();
  for (const change of changes) {
    const { op, path, value, isNamed } = change;
    const sent = op === 'remove' ? null : value;
    if (path === undefined) continue;
    if (path.attribute === 'displayname') draft.displayName = requiredText(sent, 'displayName');
    else if (path.attribute === 'externalid') draft.externalId = textOrNull(sent, 'externalId');
    else if (path.attribute === 'members') members.apply(change);
    else if (isNamed && !IGNORED.has(path.attribute)) throw badPath(`Groups have no attribute ${path.attribute}.`);
  }
  if (draft.displayName === '') throw badValue('displayName is required.');
  return { attributes: draft, members };
}

class MemberDraft implements MemberChanges {
  clears = false;
  readonly added = new Set<string>();
  readonly removed = new Set<string>();

  apply({ op, path, value }: ScimChange): void {
    const filtered = path?.filter?.map(idOfTerm);
    if (op === 'remove') this.remove(filtered ?? (value === undefined || value === null ? undefined : idsIn(value)));
    else {
      if (filtered !== undefined) throw badPath('Add members by the path members, and not by a filter.');
      if (op === 'replace') this.remove(undefined);
      for (const id of idsIn(value)) {
        this.removed.delete(id);
        this.added.add(id);
      }
    }
    if (this.added.size + this.removed.size > MAX_CHANGED_MEMBERS)
      throw new ScimRefusal(413, `A request can change ${MAX_CHANGED_MEMBERS} members of a group.`);
  }

  /** @param ids all members when undefined. */
  private remove(ids: readonly string[] | undefined): void {
    if (ids === undefined) {
      this.clears = true;
      this.added.clear();
      this.removed.clear();
    }
    for (const id of ids ?? []) {
      this.added.delete(id);
      this.removed.add(id);
    }
  }
}

function idOfTerm({ attribute, value }: { attribute: string; value: string | boolean }): string {
  if (attribute !== 'value' || typeof value !== 'string') throw badPath('Filter members by their value.');
  return value;
}

function idsIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((each: unknown) => {
    const id = isObject(each) ? memberOf(each, 'value') : each;
    const type = isObject(each) ? memberOf(each, 'type') : undefined;
    if (typeof type === 'string' && type.toLowerCase() === 'group')
      throw badValue('Groups cannot have groups as members.');
    if (typeof id !== 'string' || !/^\w{1,100}$/.test(id))
      throw badValue('A member must have the id of a user as value.');
    return id;
  });
}
