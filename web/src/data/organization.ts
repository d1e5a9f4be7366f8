import { queryOptions } from '@tanstack/react-query';
import { api } from '../api';
import { pagedQuery } from './paged';

export const organizationQuery = (org: string) =>
  queryOptions({ queryKey: ['organization', org], queryFn: ({ signal }) => api.orgs.get(org, { signal }) });

/** Those that the session opens; more than a page of them is rare. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: async ({ signal }) => api.orgs.list({ limit: 100 }, { signal }),
});

export const membersQuery = (org: string) =>
  pagedQuery({
    queryKey: ['organization', org, 'members'],
    fetchPage: (cursor, signal) => api.orgs.members(org, { cursor, limit: 50 }, { signal }),
  });

export const invitationsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['organization', org, 'invitations'],
    fetchPage: (cursor, signal) => api.orgs.invitations(org, { cursor, limit: 50 }, { signal }),
  });

export const auditQuery = (org: string) =>
  pagedQuery({
    queryKey: ['organization', org, 'audit'],
    fetchPage: (cursor, signal) => api.orgs.auditLog(org, { cursor, limit: 50 }, { signal }),
  });
