import { api } from '../api';
import { pagedQuery } from './paged';

/** The own grants, wherever they reach. */
export const grantsQuery = pagedQuery({
  queryKey: ['grants'],
  fetchPage: (cursor, signal) => api.grants.list({ cursor, limit: 50 }, { signal }),
});

/** The grants of all members of an organization, for those who manage its members. */
export const orgGrantsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['grants', org],
    fetchPage: (cursor, signal) => api.orgs.grants(org, { cursor, limit: 50 }, { signal }),
  });
