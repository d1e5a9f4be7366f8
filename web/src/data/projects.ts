import type { Deploy } from '@service/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

/** There is no stream of events yet, so what is unfinished is asked for again while somebody looks. */
const POLL_MS = 3_000;

export const isRunning = ({ finished_at: end }: Deploy): boolean => end === undefined;

export const projectsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['projects', org],
    fetchPage: (cursor, signal) => api.projects.list({ cursor, limit: 30 }, { organization: org, signal }),
  });

export const projectQuery = (project: string) =>
  queryOptions({ queryKey: ['project', project], queryFn: ({ signal }) => api.projects.get(project, { signal }) });

export const deploysQuery = (project: string) =>
  pagedQuery({
    queryKey: ['project', project, 'deploys'],
    fetchPage: (cursor, signal) => api.projects.deploys(project, { cursor }, { signal }),
    pollMs: (deploys) => (deploys.some(isRunning) ? POLL_MS : false),
  });

export const latestDeployQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'latest'],
    queryFn: async ({ signal }) => {
      const page = await api.projects.deploys(project, { limit: 1 }, { signal });
      return page.data[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data != null && isRunning(state.data) ? POLL_MS : false),
  });

export const deployQuery = (deploy: string) =>
  queryOptions({
    queryKey: ['deploy', deploy],
    queryFn: ({ signal }) => api.deploys.get(deploy, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isRunning(state.data) ? POLL_MS : false),
  });
