import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';

const POLL_MS = 10_000;

/** What `/ready` and the operator endpoints say of the installation. */
export const installationQuery = queryOptions({
  queryKey: ['operator', 'installation'],
  queryFn: ({ signal }) => api.ops.manifest({ signal }),
  refetchInterval: POLL_MS,
});

export const opsTasksQuery = queryOptions({
  queryKey: ['operator', 'tasks'],
  queryFn: ({ signal }) => api.ops.tasks({ limit: 50 }, { signal }),
  refetchInterval: POLL_MS,
});

export const flagsQuery = queryOptions({
  queryKey: ['operator', 'flags'],
  queryFn: ({ signal }) => api.ops.features({ signal }),
});
