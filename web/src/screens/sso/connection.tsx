import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useOrganization } from '../../data/me';
import { completeTest, connectionQuery, type PendingTest, refreshSso, TEST } from '../../data/sso';
import { useArrival } from '../../identities/flows';
import { inPlainWords } from '../../identities/sso-words';
import { pathTo } from '../../paths';
import { ConnectionState } from '../../sso/connection-state';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { ErrorNote } from '../../ui/error-note';
import { Loaded } from '../../ui/loaded';
import { Page, Section } from '../../ui/page';
import { Skeleton } from '../../ui/skeleton';

const Setup = lazy(async () => ({ default: (await import('../../sso/setup')).Setup }));
const Mapping = lazy(async () => ({ default: (await import('../../sso/mapping')).Mapping }));
const People = lazy(async () => ({ default: (await import('../../sso/people')).People }));
const Provider = lazy(async () => ({ default: (await import('../../sso/provider')).Provider }));

const Provisioning = lazy(async () => ({ default: (await import('../../sso/provisioning')).Provisioning }));

interface Params {
  readonly org: string;
  readonly connection: string;
}

export function prepare({ org, connection }: Params): void {
  queries.query(connectionQuery(org, connection)).catch(ignore);
}

/** One connection: how it is set up, tested and activated, and whom it lets in. A test leads back here. */
export function Screen({ org, connection: id }: Params): ReactNode {
  const [, go] = useLocation();
  const connection = useQuery(connectionQuery(org, id));
  const organization = useOrganization(org);
  const { pending: kept, code, error } = useArrival(TEST);
  const pending = kept as PendingTest | undefined;
  const [deleting, setDeleting] = useState(false);
  const complete = useMutation({
    mutationFn: ({ pending, code }: { readonly pending: PendingTest; readonly code: string }) =>
      completeTest(org, pending, code),
  });
  const { mutate } = complete;
  const isAsked = useRef(false);
  // The code counts once, and a development build of React asks twice.
  useEffect(() => {
    if (isAsked.current || pending?.connection !== id || code === undefined) return;
    isAsked.current = true;
    mutate({ pending, code });
  }, [pending, code, id, mutate]);
  return (
    <Page
      title={connection.data?.name ?? 'Connection'}
      above={[['Single sign-on', pathTo('sso', { org })]]}
      state={connection.data !== undefined && <ConnectionState status={connection.data.status} />}
    >
      <Loaded query={connection}>
        {(data) => (
          <>
            <Suspense fallback={<Skeleton />}>
              <Setup
                org={org}
                connection={data}
                tested={complete.data}
                failure={<Failure error={pending === undefined ? undefined : error} thrown={complete.error} />}
                isOwner={organization?.role === 'owner'}
              />
              <People
                key={JSON.stringify([data.name, data.jit, data.default_role, data.group_roles])}
                org={org}
                connection={data}
              />
              <Mapping key={JSON.stringify(data.mapping)} org={org} connection={data} />
              <Provisioning org={org} connection={data} />
              <Provider org={org} connection={data} />
            </Suspense>
            <Section title="Delete" hint="Its people are no longer known by it, and their sessions end.">
              <Button
                look="danger"
                onClick={() => {
                  setDeleting(true);
                }}
              >
                Delete the connection
              </Button>
              <Confirm
                open={deleting}
                title={`Delete ${data.name}?`}
                action="Delete the connection"
                danger
                typed={data.name}
                onClose={() => {
                  setDeleting(false);
                }}
                onConfirm={async () => {
                  await api.sso.connections.delete(org, id);
                  go(pathTo('sso', { org }), { replace: true });
                  await refreshSso(org);
                }}
              >
                Nobody signs in through it any more. Without another active connection, SSO is no longer required.
                People without a password set one by mail.
              </Confirm>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  access_denied: 'You have not allowed it at the identity provider.',
  provider_unavailable: 'The identity provider did not respond. Try again in a moment.',
  provider_refused:
    'The identity provider did not say who you are. Check the client, its secret and what you entered there. The audit ' +
    'log says more.',
};

function Failure({ error, thrown }: { readonly error: string | undefined; readonly thrown: unknown }): ReactNode {
  if (thrown !== null && thrown !== undefined) return <ErrorNote error={inPlainWords(thrown)} />;
  if (error === undefined) return null;
  return (
    <ErrorNote error={new Error((Object.hasOwn(WORDS, error) ? WORDS[error] : undefined) ?? 'The test has failed.')} />
  );
}
