import type { Deploy, ListedProject, OrganizationMembership, Page } from '@service/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { fallbackPollMs } from './live';
import { pagedQuery } from './paged';

export const isRunning = ({ finished_at: end }: Pick<Deploy, 'finished_at'>): boolean => end === undefined;

export const projectsQuery = (org: string) =>
  pagedQuery<ListedProject>({
    queryKey: ['projects', org],
    fetchPage: async (cursor, signal): Promise<Page<ListedProject>> =>
      api.projects.list({ cursor, limit: 30 }, { organization: org, signal }),
    pollMs: (projects) =>
      fallbackPollMs(projects.some(({ last_deploy: deploy }) => deploy !== undefined && isRunning(deploy))),
  });

/** Deploys of the production branch are previews in the Free plan, which has no production. */
export const deployTypeIn = ({ plan }: Pick<OrganizationMembership, 'plan'>): Deploy['type'] =>
  plan === 'free' ? 'preview' : 'production';

export const projectQuery = (project: string) =>
  queryOptions({ queryKey: ['project', project], queryFn: ({ signal }) => api.projects.get(project, { signal }) });

export function useProjectName(project: string): string | undefined {
  return useQuery(projectQuery(project)).data?.name;
}

export const deploysQuery = (project: string) =>
  pagedQuery({
    queryKey: ['project', project, 'deploys'],
    fetchPage: (cursor, signal) => api.projects.deploys(project, { cursor }, { signal }),
    pollMs: (deploys) => fallbackPollMs(deploys.some(isRunning)),
  });

export const deployQuery = (deploy: string) =>
  queryOptions({
    queryKey: ['deploy', deploy],
    queryFn: ({ signal }) => api.deploys.get(deploy, { signal }),
    refetchInterval: ({ state }) => fallbackPollMs(state.data !== undefined && isRunning(state.data)),
  });
