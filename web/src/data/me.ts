import type { OrganizationMembership, WhoCalls } from '@service/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, queries } from '../api';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.me.get({ signal }),
  staleTime: 60_000,
});

/** The rights depend on the organization. */
const rightsQuery = (org: string) =>
  queryOptions({
    queryKey: ['me', 'rights', org],
    queryFn: ({ signal }) => api.me.get({ signal, organization: org }),
    staleTime: 60_000,
  });

/** Asks why an organization is not among those of {@link meQuery}: each time, as another tab may have opened it. */
export const refusalQuery = (org: string) =>
  queryOptions({
    queryKey: ['me', 'refusal', org],
    queryFn: ({ signal }) => api.me.get({ signal, organization: org }),
    staleTime: 0,
    gcTime: 0,
  });

/** Asks once more who calls, where what is known of it may be over. */
export function askWhoCalls(): void {
  void queries.invalidateQueries({ queryKey: meQuery.queryKey, exact: true }, { cancelRefetch: false });
}

export function useMe(): WhoCalls | undefined {
  return useQuery(meQuery).data;
}

/** The organization of the address; undefined while nothing is known of it, or when it is another's. */
export function useOrganization(org: string): OrganizationMembership | undefined {
  return useMe()?.organizations.find(({ id, slug }) => slug === org || id === org);
}

/** True unless it is known that the role does not have the right, so that nothing appears late. */
export function useMay(org: string, scope: WhoCalls['scopes'][number]): boolean {
  return useQuery(rightsQuery(org)).data?.scopes.includes(scope) ?? true;
}

const LAST = 'organization';

/** The organization that was looked at last, for addresses that name none. */
export function lastOrganization(me: WhoCalls): string {
  const last = localStorage.getItem(LAST);
  return me.organizations.find(({ slug }) => slug === last)?.slug ?? me.organization.slug;
}

/** True for the organization that was looked at last, as one of its members. */
export const wasLookedAt = (slug: string): boolean => localStorage.getItem(LAST) === slug;

export function rememberOrganization(slug: string): void {
  localStorage.setItem(LAST, slug);
}
