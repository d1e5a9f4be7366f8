/** The part of a list that somebody wants: at most so many, those after the last one seen. */
export interface PageRequest {
  readonly limit: number;
  /** The id that the list goes on after; undefined: from its beginning. */
  readonly after: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** What the next page goes on after; undefined on the last. */
  readonly next: string | undefined;
}

/** Makes a page of rows of which one more than requested was read, to know whether there are more. */
export function pageOf<T>(rows: readonly T[], { limit }: PageRequest, idOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? idOf(last) : undefined };
}
