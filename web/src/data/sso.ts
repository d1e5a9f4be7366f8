import { queryOptions } from '@tanstack/react-query';
import type { TestedSsoConnection } from '@service/client';
import { api, queries } from '../api';
import { leaveFor } from '../identities/flows';
import { pathTo } from '../paths';
import { pagedQuery } from './paged';

export const orgDomainsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['organization', org, 'domains'],
    fetchPage: (cursor, signal) => api.sso.domains.list(org, { cursor, limit: 50 }, { signal }),
  });

export const connectionsQuery = (org: string) =>
  pagedQuery({
    queryKey: ['organization', org, 'connections'],
    fetchPage: (cursor, signal) => api.sso.connections.list(org, { cursor, limit: 50 }, { signal }),
  });

export const connectionQuery = (org: string, connection: string) =>
  queryOptions({
    queryKey: ['organization', org, 'connections', connection],
    queryFn: ({ signal }) => api.sso.connections.get(org, connection, { signal }),
  });

export const scimTokensQuery = (org: string, connection: string) =>
  queryOptions({
    queryKey: ['organization', org, 'connections', connection, 'scim-tokens'],
    queryFn: ({ signal }) => api.sso.scimTokens.list(org, connection, { signal }),
  });

/** After a change of a connection: whether members can sign in through one may have changed with it. */
export async function refreshSso(org: string): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['organizations'] });
  await queries.invalidateQueries({ queryKey: ['organization', org] });
}

/** Under which this tab keeps a {@link PendingTest}. */
export const TEST = 'sso-test';

/** A test of a connection that goes on when the browser comes back. */
export interface PendingTest {
  readonly id: string;
  readonly verifier: string;
  readonly connection: string;
}

/** Leads to the provider of a connection, and by it back to the page of the connection. */
export function goToTest(org: string, connection: string): Promise<void> {
  const returnTo = location.origin + pathTo('ssoConnection', { org, connection });
  return leaveFor({
    key: TEST,
    begin: (challenge) => api.sso.connections.beginTest(org, connection, { return_to: returnTo, challenge }),
    facts: { connection },
  });
}

export async function completeTest(
  org: string,
  { connection, id, verifier }: PendingTest,
  code: string,
): Promise<TestedSsoConnection> {
  const tested = await api.sso.connections.completeTest(org, connection, { flow_id: id, code, verifier });
  await refreshSso(org);
  return tested;
}
