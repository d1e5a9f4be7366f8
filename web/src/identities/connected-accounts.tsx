import type { Identity, Organization } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, queries } from '../api';
import { sessionsQuery } from '../data/account';
import { organizationsQuery } from '../data/organization';
import {
  canUseProviders,
  connectSso,
  goToProvider,
  identitiesQuery,
  type ProviderName,
  PROVIDERS,
  signInMethodsQuery,
} from './flows';
import { inPlainWords } from './sso-words';
import { PATHS } from '../paths';
import { Button } from '../ui/button';
import { Confirm } from '../ui/confirm';
import { Empty } from '../ui/empty';
import { ErrorNote } from '../ui/error-note';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { Table } from '../ui/table';
import { When } from '../ui/time';

/** The accounts at providers that sign a person in. Nothing where no provider is set up and none is connected. */
export function ConnectedAccounts(): ReactNode {
  const methods = useQuery(signInMethodsQuery);
  const identities = useQuery(identitiesQuery);
  const organizations = useQuery(organizationsQuery);
  const offered = methods.data?.providers ?? [];
  const withSso = organizations.data?.data.filter(({ sso }) => sso.active) ?? [];
  if (offered.length === 0 && withSso.length === 0 && (identities.data ?? []).length === 0) return null;
  return (
    <Section title="Connected accounts" hint="They sign you in. Your second factor is asked for all the same.">
      <Loaded query={identities} lines={2}>
        {(data) => (
          <div className="grid gap-4">
            <IdentityTable identities={data} />
            <ConnectButtons providers={offered.filter((each) => !data.some(({ provider }) => provider === each))} />
            {withSso.length > data.filter(({ provider }) => provider === 'sso').length && (
              <SsoButtons organizations={withSso} />
            )}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function ConnectButtons({ providers }: { readonly providers: readonly ProviderName[] }): ReactNode {
  const connect = useMutation({ mutationFn: (method: ProviderName) => goToProvider(method, true, PATHS.security) });
  if (!canUseProviders() || providers.length === 0) return null;
  return (
    <div className="grid gap-3">
      {connect.isError && <ErrorNote error={connect.error} />}
      <div className="flex flex-wrap gap-2">
        {providers.map((provider) => (
          <Button
            key={provider}
            busy={connect.isPending}
            onClick={() => {
              connect.mutate(provider);
            }}
          >
            Connect {PROVIDERS[provider]}
          </Button>
        ))}
      </div>
    </div>
  );
}

/** Which of them an identity belongs to is not known, so they are all offered. */
function SsoButtons({ organizations }: { readonly organizations: readonly Organization[] }): ReactNode {
  const connect = useMutation({ mutationFn: (org: string) => connectSso(org, PATHS.security) });
  if (!canUseProviders()) return null;
  return (
    <div className="grid gap-3">
      {connect.isError && <ErrorNote error={inPlainWords(connect.error)} />}
      <div className="flex flex-wrap gap-2">
        {organizations.map(({ id, name }) => (
          <Button
            key={id}
            className="max-w-full"
            busy={connect.isPending}
            onClick={() => {
              connect.mutate(id);
            }}
          >
            <span className="truncate">Connect SSO of {name}</span>
          </Button>
        ))}
      </div>
    </div>
  );
}

function IdentityTable({ identities }: { readonly identities: readonly Identity[] }): ReactNode {
  const [removing, setRemoving] = useState<Identity>();
  if (identities.length === 0)
    return (
      <Empty icon="keys" title="No connected account">
        Connect one to sign in without your password.
      </Empty>
    );
  return (
    <>
      <Table
        label="Accounts that sign you in"
        rows={identities}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Account', cell: (identity) => nameOf(identity) },
          { title: 'Connected', wideOnly: true, cell: ({ created_at: at }) => <When at={at} /> },
          { title: 'Last used', cell: ({ last_used_at: at }) => <When at={at ?? null} /> },
          {
            title: 'Actions',
            actions: true,
            cell: (identity) => (
              <Button
                look="quiet"
                onClick={() => {
                  setRemoving(identity);
                }}
              >
                Disconnect<span className="sr-only"> {nameOf(identity)}</span>
              </Button>
            ),
          },
        ]}
      />
      <Confirm
        open={removing !== undefined}
        title={removing === undefined ? '' : `Disconnect ${nameOf(removing)}?`}
        action="Disconnect it"
        danger
        onClose={() => {
          setRemoving(undefined);
        }}
        onConfirm={async () => {
          await api.auth.removeIdentity(removing!.id);
          await queries.invalidateQueries({ queryKey: identitiesQuery.queryKey });
          void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
        }}
      >
        It no longer signs you in. Other devices that signed in through it are signed out.
      </Confirm>
    </>
  );
}

const nameOf = ({ provider, name }: Identity): string => `${PROVIDERS[provider]} ${name}`;
