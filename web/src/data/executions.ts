import type { ListedRun, PackageSet } from '@service/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api';
import { pagedQuery } from './paged';

/** Most runs end sooner than their event would arrive. */
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;

export const isUnfinished = ({ status }: Pick<ListedRun, 'status'>): boolean =>
  status === 'queued' || status === 'running';

export const executionsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['executions', org],
    fetchPage: (cursor, signal) => api.sandbox.list({ cursor, limit: 10 }, { organization: org, signal }),
  });

export const sandboxLimitsQuery = (org: string) =>
  queryOptions({
    queryKey: ['sandbox', org, 'limits'],
    queryFn: ({ signal }) => api.sandbox.limits({ organization: org, signal }),
    staleTime: 60_000,
  });

export const executionQuery = (org: string, execution: string) =>
  queryOptions({
    queryKey: ['execution', execution],
    queryFn: ({ signal }) => api.sandbox.get(execution, { organization: org, signal }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isUnfinished(state.data)
        ? Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * 1.5 ** state.dataUpdateCount)
        : false,
  });

export const packageSetsQuery = (org: string) =>
  queryOptions({
    queryKey: ['sandbox', org, 'package-sets'],
    queryFn: async ({ signal }) => {
      const call = { method: 'GET', path: '/api/v1/sandbox/package-sets' } as const;
      return ((await answerOf(call, { organization: org, signal })) as { readonly data: readonly PackageSet[] }).data;
    },
    staleTime: 60_000,
  });
