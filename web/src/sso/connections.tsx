import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { rowsOf } from '../data/paged';
import { connectionsQuery } from '../data/sso';
import { pathTo } from '../paths';
import { ButtonLink } from '../ui/button';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { More } from '../ui/more';
import { Section } from '../ui/page';
import { ScreenLink } from '../ui/screen-link';
import { Table } from '../ui/table';
import { When } from '../ui/time';
import { ConnectionState } from './connection-state';

/** The connections of an organization, and the way to a new one. */
export function Connections({ org, mayAdd }: { readonly org: string; readonly mayAdd: boolean }): ReactNode {
  const connections = useInfiniteQuery(connectionsQuery(org));
  if (!mayAdd && rowsOf(connections.data).length === 0) return null;
  const add = mayAdd && (
    <ButtonLink href={pathTo('newSsoConnection', { org })} look="primary">
      New connection
    </ButtonLink>
  );
  return (
    <Section title="Connections" hint="To the identity providers that your people sign in at.">
      <Loaded query={connections}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="linked" title="No connections yet" action={add}>
              Connect Okta, Microsoft Entra ID, Google Workspace, Keycloak, or any provider that speaks OpenID Connect
              or SAML 2.0.
            </Empty>
          ) : (
            <div className="grid justify-items-start gap-4">
              <div className="w-full min-w-0">
                <Table
                  label="List of connections"
                  rows={rowsOf(data)}
                  keyOf={({ id }) => id}
                  more={<More query={connections} />}
                  columns={[
                    {
                      title: 'Name',
                      cell: ({ id, name }) => (
                        <ScreenLink
                          to="ssoConnection"
                          params={{ org, connection: id }}
                          className="link block max-w-40 truncate font-medium sm:max-w-72"
                        >
                          {name}
                        </ScreenLink>
                      ),
                    },
                    { title: 'State', cell: ({ status }) => <ConnectionState status={status} /> },
                    {
                      title: 'Protocol',
                      wideOnly: true,
                      cell: ({ type }) => (type === 'oidc' ? 'OpenID Connect' : 'SAML 2.0'),
                    },
                    {
                      title: 'Last used',
                      wideOnly: true,
                      cell: ({ last_used_at: at }) => <When at={at ?? null} />,
                    },
                  ]}
                />
              </div>
              {add}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}
