import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

/** All of these are asked for again with the project, whose key they begin with. */
export const settingsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'settings'],
    queryFn: ({ signal }) => api.projects.settings(project, { signal }),
  });

export const variablesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'variables'],
    queryFn: ({ signal }) => api.projects.env(project, { signal }),
  });

const CHECKS_MS = 15_000;

/** What waits for its records is checked by the service from time to time. */
export const domainsQuery = (project: string) =>
  pagedQuery({
    queryKey: ['project', project, 'domains'],
    fetchPage: (cursor, signal) => api.domains.list(project, { cursor, limit: 50 }, { signal }),
    pollMs: (domains) => (domains.every(({ state }) => state === 'active') ? false : CHECKS_MS),
  });

export const protectionQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'protection'],
    queryFn: ({ signal }) => api.projects.protection(project, { signal }),
  });

export const hooksQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'hooks'],
    queryFn: ({ signal }) => api.projects.hooks(project, { signal }),
  });

export const cronsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'crons'],
    queryFn: ({ signal }) => api.projects.crons(project, { signal }),
  });

/** A run that is active ends soon, and no event says so. */
const RUNS_MS = 1_500;

export const cronRunsQuery = (project: string, cron: string) =>
  queryOptions({
    queryKey: ['project', project, 'crons', cron],
    queryFn: ({ signal }) => api.projects.cronRuns(project, cron, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ outcome }) => outcome === 'running') ? RUNS_MS : false),
  });
