import type { Page } from '@service/client';
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';

interface PagedQuery<Row> {
  readonly queryKey: readonly string[];
  /** Asks for the page that begins at the cursor. */
  readonly fetchPage: (cursor: string | undefined, signal: AbortSignal) => PromiseLike<Page<Row>>;
  /** How long to wait before it is asked again, by what is there; false for not at all. */
  readonly pollMs?: (rows: readonly Row[]) => number | false;
}

/** A list of the API, page by page. `rowsOf` has what has been fetched of it. */
export const pagedQuery = <Row>({ queryKey, fetchPage, pollMs }: PagedQuery<Row>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ signal, pageParam }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }: Page<Row>) => meta.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      pollMs === undefined || state.data === undefined ? false : pollMs(rowsOf(state.data)),
  });

export function rowsOf<Row>(data: Pick<InfiniteData<Page<Row>>, 'pages'> | undefined): readonly Row[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}
