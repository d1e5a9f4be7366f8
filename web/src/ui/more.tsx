import type { ReactNode } from 'react';
import { Button } from './button';

interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** The button for the next page of a list, where there is one. */
export function More({ query }: { readonly query: Paged }): ReactNode {
  if (!query.hasNextPage) return null;
  return (
    <div className="grid justify-items-center p-3">
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </div>
  );
}
