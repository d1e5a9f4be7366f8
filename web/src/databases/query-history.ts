import { useSyncExternalStore } from 'react';

export interface PastQuery {
  readonly sql: string;
  readonly access: 'read' | 'write';
  readonly at: string;
  readonly failed: boolean;
}

const KEPT = 20;
/** Longer ones are not kept, so that the storage of the tab stays small. */
const LONGEST = 20_000;
const NONE: readonly PastQuery[] = [];

const histories = new Map<string, readonly PastQuery[]>();
const listeners = new Set<() => void>();

/** The queries that ran in this tab, the latest first. They may hold data, so that they end with the tab. */
export function useHistory(database: string): readonly PastQuery[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => historyOf(database),
  );
}

export function keepQuery(database: string, past: PastQuery): void {
  if (past.sql.length > LONGEST) return;
  const others = historyOf(database).filter(({ sql }) => sql !== past.sql);
  const kept = [past, ...others].slice(0, KEPT);
  histories.set(database, kept);
  try {
    sessionStorage.setItem(keyOf(database), JSON.stringify(kept));
  } catch {
    // A full storage loses the history with the page, and nothing else.
  }
  for (const listener of listeners) listener();
}

function historyOf(database: string): readonly PastQuery[] {
  const known = histories.get(database);
  if (known !== undefined) return known;
  const read = fromText(sessionStorage.getItem(keyOf(database)));
  histories.set(database, read);
  return read;
}

const keyOf = (database: string): string => `queries:${database}`;

function fromText(text: string | null): readonly PastQuery[] {
  if (text === null) return NONE;
  try {
    return JSON.parse(text) as readonly PastQuery[];
  } catch {
    return NONE;
  }
}
