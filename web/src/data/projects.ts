import type { Deploy, DeployQuery, ListedProject, OrganizationMembership, Page } from '@service/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { fallbackPollMs } from './live';
import { pagedQuery } from './paged';

/** Which deploys of a project are shown. */
export type DeployFilter = Pick<DeployQuery, 'branch' | 'state'>;

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

const deploysOf = (project: string, queryKey: readonly string[], filter: DeployFilter) =>
  pagedQuery({
    queryKey,
    fetchPage: (cursor, signal) => api.projects.deploys(project, { cursor, ...filter }, { signal }),
    pollMs: (deploys) => fallbackPollMs(deploys.some(isRunning)),
  });

export const deploysQuery = (project: string) => deploysOf(project, ['project', project, 'deploys'], {});

/** Some of the deploys. They are asked for again whenever all are. */
export const filteredDeploysQuery = (project: string, filter: DeployFilter) =>
  deploysOf(project, [...deploysQuery(project).queryKey, filter.branch ?? '', filter.state ?? ''], filter);

export const deployQuery = (deploy: string) =>
  queryOptions({
    queryKey: ['deploy', deploy],
    queryFn: ({ signal }) => api.deploys.get(deploy, { signal }),
    refetchInterval: ({ state }) => fallbackPollMs(state.data !== undefined && isRunning(state.data)),
  });
