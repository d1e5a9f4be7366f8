import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { ignore, queries } from '../../api';
import { plansQuery } from '../../data/billing';
import { useMay } from '../../data/me';
import { organizationQuery } from '../../data/organization';
import { connectionsQuery, orgDomainsQuery } from '../../data/sso';
import { pathTo } from '../../paths';
import { Connections } from '../../sso/connections';
import { Domains } from '../../sso/domains';
import { ButtonLink } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Skeleton } from '../../ui/skeleton';
import { SettingsFrame } from '../organization/settings-frame';

const Policy = lazy(async () => ({ default: (await import('../../sso/policy')).Policy }));

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.query(organizationQuery(org)).catch(ignore);
  queries.query(plansQuery).catch(ignore);
  queries.infiniteQuery(orgDomainsQuery(org)).catch(ignore);
  queries.infiniteQuery(connectionsQuery(org)).catch(ignore);
}

/** Single sign-on of an organization: its domains, its connections, and whether nothing else lets in. */
export function Screen({ org }: Params): ReactNode {
  const organization = useQuery(organizationQuery(org));
  const plans = useQuery(plansQuery);
  const mayChange = useMay(org, 'orgs:write');
  return (
    <SettingsFrame org={org} open="sso">
      <Loaded query={organization}>
        {(data) => {
          if (data.personal)
            return (
              <Empty icon="keys" title="Personal organizations have no SSO">
                Create an organization for your people first.
              </Empty>
            );
          if (!mayChange)
            return (
              <Empty icon="keys" title="Only owners and admins set up SSO">
                Ask an owner or an admin of the organization.
              </Empty>
            );
          // The service says no where nothing is known of the plans.
          const hasFeature = plans.data?.find(({ id }) => id === data.plan)?.features.sso ?? true;
          const wanted = plans.data?.find(({ features }) => features.sso)?.name;
          return (
            <>
              {!hasFeature && (
                <div className="mb-8">
                  <Empty
                    icon="billing"
                    title={`SSO is included in the ${wanted ?? 'largest'} plan`}
                    action={<ButtonLink href={pathTo('billing', { org })}>See your plan</ButtonLink>}
                  >
                    Your people then sign in at your own identity provider.
                  </Empty>
                </div>
              )}
              <Domains org={org} mayAdd={hasFeature} />
              <Connections org={org} mayAdd={hasFeature} />
              {(hasFeature || data.sso.required) && (
                <Suspense fallback={<Skeleton />}>
                  <Policy organization={data} />
                </Suspense>
              )}
            </>
          );
        }}
      </Loaded>
    </SettingsFrame>
  );
}
