import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

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
