import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isMissing } from '../api';
import { Empty } from './empty';
import { ErrorNote } from './error-note';
import { Skeleton } from './skeleton';

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

/** What a query has found, or why it has not. What was found before stays when it cannot be asked for again. */
export function Loaded<T>({ query, lines, children }: LoadedProps<T>): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <Skeleton {...(lines !== undefined && { lines })} />;
  if (isMissing(query.error))
    return (
      <Empty icon="search" title="Not found">
        It was deleted, or it belongs to an organization that you are not a member of.
      </Empty>
    );
  return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
}
