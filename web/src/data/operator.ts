import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
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

export const opsErrorsQuery = queryOptions({
  queryKey: ['operator', 'errors'],
  queryFn: ({ signal }) => api.ops.errors({ signal }),
  refetchInterval: POLL_MS,
});

export const schedulesQuery = queryOptions({
  queryKey: ['operator', 'schedules'],
  queryFn: ({ signal }) => api.ops.schedules({ signal }),
  refetchInterval: POLL_MS,
});

export const flagsQuery = queryOptions({
  queryKey: ['operator', 'flags'],
  queryFn: ({ signal }) => api.ops.features({ signal }),
});

/** A page of the organizations that a text finds; all of them without one. */
export const opsOrganizationsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'organizations', search],
    queryFn: ({ signal, pageParam }) =>
      api.ops.organizations(
        { limit: 50, ...(search !== '' && { search }), ...(pageParam !== undefined && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What was found before stays while the next letters are typed.
    placeholderData: keepPreviousData,
  });

export const opsOrganizationQuery = (org: string) =>
  queryOptions({
    queryKey: ['operator', 'organization', org],
    queryFn: ({ signal }) => api.ops.organization(org, { signal }),
  });
