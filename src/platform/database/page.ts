/** The requested page of a list: up to `limit` items after the last one seen. */
export interface PageRequest {
  readonly limit: number;
  /** The id of the last item seen; undefined requests the first page. */
  readonly after: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Builds a page from rows of which one more than requested was read, to know whether there are more. */
export function pageOf<T>(rows: readonly T[], { limit }: PageRequest, idOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? idOf(last) : undefined };
}
