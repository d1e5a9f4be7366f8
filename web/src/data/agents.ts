import { queryOptions } from '@tanstack/react-query';
import { api, queries } from '../api';
import { pagedQuery } from './paged';

export const agentsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['agents', org, 'list'],
    fetchPage: (cursor, signal) => api.agents.list({ cursor, limit: 50 }, { organization: org, signal }),
  });

export const agentQuery = (org: string, agent: string) =>
  queryOptions({
    queryKey: ['agents', org, agent],
    queryFn: ({ signal }) => api.agents.get(agent, { organization: org, signal }),
  });

export const versionsQuery = (org: string, agent: string) =>
  pagedQuery({
    queryKey: ['agents', org, agent, 'versions'],
    fetchPage: (cursor, signal) => api.agents.versions(agent, { cursor, limit: 30 }, { organization: org, signal }),
  });

export const versionQuery = (org: string, agent: string, number: number) =>
  queryOptions({
    queryKey: ['agents', org, agent, 'versions', number],
    queryFn: ({ signal }) => api.agents.version(agent, number, { organization: org, signal }),
  });

/** They are the same for every organization. */
export const toolKindsQuery = (org: string) =>
  queryOptions({
    queryKey: ['agent-tools'],
    queryFn: ({ signal }) => api.agents.tools({ organization: org, signal }),
    staleTime: 600_000,
  });

export const secretsQuery = (org: string, agent: string) =>
  pagedQuery({
    queryKey: ['agents', org, agent, 'secrets'],
    fetchPage: (cursor, signal) => api.agents.secrets.list(agent, { cursor }, { organization: org, signal }),
  });

export const memoriesQuery = (org: string, agent: string, query: string) =>
  pagedQuery({
    queryKey: ['agents', org, agent, 'memories', query],
    fetchPage: (cursor, signal) =>
      api.agents.memories.list(agent, { cursor, ...(query === '' ? {} : { query }) }, { organization: org, signal }),
  });

export const blocksQuery = (org: string, agent: string) =>
  queryOptions({
    queryKey: ['agents', org, agent, 'blocks'],
    queryFn: ({ signal }) => api.agents.blocks.list(agent, { organization: org, signal }),
  });

export async function refreshAgents(org: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['agents', org] });
}
