import type { Branch } from '@service/client';
import { queryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery, rowsOf } from './paged';

export const repositoriesQuery = (org: string) =>
  pagedQuery({
    queryKey: ['repositories', org],
    fetchPage: (cursor, signal) => api.repositories.list({ cursor, limit: 50 }, { organization: org, signal }),
  });

export const repositoryQuery = (org: string, repository: string) =>
  queryOptions({
    queryKey: ['repository', repository],
    queryFn: ({ signal }) => api.repositories.get(repository, { organization: org, signal }),
  });

/** The first hundred by name; more are fetched on request. */
export const branchesQuery = (org: string, repository: string) =>
  pagedQuery<Branch>({
    queryKey: ['repository', repository, 'branches'],
    fetchPage: (cursor, signal) =>
      api.repositories.branches(repository, { cursor, limit: 100 }, { organization: org, signal }),
  });

/** The names of the branches of a repository by its address; none where it is not one of the organization. */
export function useBranchNames(org: string, url: string | undefined): readonly string[] {
  const repositories = useInfiniteQuery({ ...repositoriesQuery(org), enabled: url !== undefined });
  const id = rowsOf(repositories.data).find(({ repo_url: each }) => each === url)?.id;
  const branches = useInfiniteQuery({ ...branchesQuery(org, id ?? ''), enabled: id !== undefined });
  return rowsOf(branches.data).map(({ name }) => name);
}

export const templatesQuery = (org: string) =>
  queryOptions({
    queryKey: ['templates'],
    queryFn: ({ signal }) => api.repositories.templates({ organization: org, signal }),
    staleTime: Infinity,
  });

export const githubQuery = (org: string) =>
  queryOptions({
    queryKey: ['github', org],
    queryFn: ({ signal }) => api.github.get({ organization: org, signal }),
    // Accounts are connected in another tab: coming back from there asks again.
    staleTime: 0,
  });
