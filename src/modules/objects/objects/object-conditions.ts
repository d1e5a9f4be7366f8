import { ObjectChanged } from '../objects.errors.js';
import type { StoredObject } from '../persistence/bucket-rows.js';

/** What must hold of the object that a write replaces. ETags have no quotes. */
export interface WriteConditions {
  /** The ETag that it must have. `*` for any. */
  readonly ifMatch?: string | undefined;
  /** `*`: there must be none. */
  readonly ifNoneMatch?: string | undefined;
  /** The write that it must come from. Unlike an ETag, it is never the same again. */
  readonly ifRevision?: string | undefined;
}

/** @throws {ObjectChanged} `object_changed` */
export function requireConditions(conditions: WriteConditions, current: StoredObject | undefined): void {
  const { ifMatch, ifNoneMatch, ifRevision } = conditions;
  if (ifRevision !== undefined && current?.revision !== ifRevision) throw new ObjectChanged();
  if (ifMatch !== undefined && (current === undefined || !matches(ifMatch, current.etag))) throw new ObjectChanged();
  if (ifNoneMatch !== undefined && current !== undefined && matches(ifNoneMatch, current.etag))
    throw new ObjectChanged();
}

/** True when a list of ETags, such as `"a", W/"b"`, or `*`, names this one. */
export const matches = (list: string, etag: string): boolean =>
  list.trim() === '*' ||
  list.split(',').some((each) => {
    const name = each.trim();
    return (name.startsWith('W/') ? name.slice(2) : name).replaceAll('"', '') === etag;
  });
