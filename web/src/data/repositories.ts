import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

export const repositoriesQuery = (org: string) =>
  pagedQuery({
    queryKey: ['repositories', org],
    fetchPage: (cursor, signal) => api.repositories.list({ cursor, limit: 50 }, { organization: org, signal }),
  });

export const templatesQuery = (org: string) =>
  queryOptions({
    queryKey: ['templates'],
    queryFn: ({ signal }) => api.repositories.templates({ organization: org, signal }),
    staleTime: Infinity,
  });
