import type { Database, DatabaseAccess, DatabaseState } from '@service/client';

type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'accent';

export const STATES: Readonly<Record<DatabaseState, readonly [Tone, string]>> = {
  creating: ['warn', 'Creating'],
  restoring: ['warn', 'Restoring'],
  ready: ['good', 'Ready'],
  failed: ['bad', 'Failed'],
  deleting: ['quiet', 'Deleting'],
  deleted: ['quiet', 'Deleted'],
};

export const ACTIVITIES: Readonly<Record<Database['activity'], readonly [string, string]>> = {
  active: ['Active', 'It answers queries now.'],
  idle: ['Idle', 'It is connected, and nothing is asked.'],
  frozen: ['Frozen', 'Its connections are kept. The next query thaws it in milliseconds.'],
  asleep: ['Asleep', 'The next connection wakes it in about a tenth of a second.'],
};

export const ACCESSES: Readonly<Record<DatabaseAccess, readonly [string, string]>> = {
  owner: ['Read and write', 'Changes data and tables.'],
  reader: ['Read only', 'Reads every table and changes nothing.'],
};

/** Something of it is being made or removed. */
export const isChanging = ({ state }: Pick<Database, 'state'>): boolean =>
  state === 'creating' || state === 'restoring' || state === 'deleting';

/** A database in a tree of branches. */
export interface Twig {
  readonly database: Database;
  readonly depth: number;
}

/** A list of databases as trees: each branch follows its parent. A parent that is not in the list counts as none. */
export function treeOf(all: readonly Database[]): Twig[] {
  const ids = new Set(all.map(({ id }) => id));
  const byName = [...all].sort((one, other) => one.name.localeCompare(other.name));
  const seen = new Set<string>();
  const below = (parent: string | null, depth: number): Twig[] =>
    byName
      .filter(({ id, parent_id: of }) => !seen.has(id) && (of !== null && ids.has(of) ? of : null) === parent)
      .flatMap((database) => {
        seen.add(database.id);
        return [{ database, depth }, ...below(database.id, depth + 1)];
      });
  const found = below(null, 0);
  // A circle would have no beginning; what it holds is shown all the same.
  return [...found, ...byName.filter(({ id }) => !seen.has(id)).map((database) => ({ database, depth: 0 }))];
}

/** The databases that belong together with one: its origin and all that was branched from it. */
export function familyOf(all: readonly Database[], id: string): Database[] {
  const parents = new Map(all.map((each) => [each.id, each.parent_id]));
  const rootOf = (start: string): string => {
    const seen = new Set<string>();
    let at = start;
    for (let parent = parents.get(at); parent != null && parents.has(parent) && !seen.has(at);) {
      seen.add(at);
      at = parent;
      parent = parents.get(at);
    }
    return at;
  };
  const root = rootOf(id);
  return all.filter((each) => rootOf(each.id) === root);
}
