import { queryOptions } from '@tanstack/react-query';
import { api, queries } from '../api';
import { pagedQuery } from './paged';

/** Tasks move without events of the organization. */
const POLL_MS = 2_000;

const isActive = ({ state }: { readonly state: string }): boolean => state === 'running' || state === 'stalled';

export const swarmsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['swarms', org],
    fetchPage: (cursor, signal) => api.swarms.list({ cursor, limit: 30 }, { organization: org, signal }),
    pollMs: (swarms) => (swarms.some(isActive) ? POLL_MS : false),
  });

export const swarmQuery = (org: string, swarm: string) =>
  queryOptions({
    queryKey: ['swarms', org, swarm],
    queryFn: ({ signal }) => api.swarms.get(swarm, { organization: org, signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isActive(state.data) ? POLL_MS : false),
  });

export const tasksQuery = (org: string, swarm: string, active: boolean) =>
  pagedQuery({
    queryKey: ['swarms', org, swarm, 'tasks'],
    fetchPage: (cursor, signal) => api.swarms.tasks.list(swarm, { cursor, limit: 100 }, { organization: org, signal }),
    pollMs: () => (active ? POLL_MS : false),
  });

export async function refreshSwarms(org: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['swarms', org] });
}
