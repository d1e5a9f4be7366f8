import type { SsoConnection, TestedSsoConnection } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import { goToTest, refreshSso } from '../data/sso';
import { canUseProviders } from '../identities/flows';
import { Button } from '../ui/button';
import { Confirm } from '../ui/confirm';
import { ErrorNote } from '../ui/error-note';
import { Fact } from '../ui/fact';
import { Section } from '../ui/page';
import { Ago } from '../ui/time';
import { guideOf, valuesOf } from './guides';
import { Steps } from './steps';
import { Values } from './values';

interface SetupProps {
  readonly org: string;
  readonly connection: SsoConnection;
  /** What the provider has said of the administrator just now. */
  readonly tested: TestedSsoConnection | undefined;
  /** Why the last test did not succeed. */
  readonly failure: ReactNode;
  readonly isOwner: boolean;
}

/** The way from a draft to a connection that people sign in through. */
export function Setup({ org, connection, tested, failure, isOwner }: SetupProps): ReactNode {
  const { id, status, tested_at: testedAt } = connection;
  const guide = guideOf(connection);
  const test = useMutation({ mutationFn: () => goToTest(org, id) });
  const isOther = guide.id === guide.type;
  return (
    <>
      <Section title={`1. Enter these at ${isOther ? 'your identity provider' : guide.title}`}>
        <div className="grid max-w-2xl gap-4">
          <Steps steps={guide.after} />
          <Values values={valuesOf(connection, guide)} />
        </div>
      </Section>
      <Section title="2. Test it" hint="Sign in at the provider as yourself. From then on, that signs you in here too.">
        <div className="grid max-w-2xl gap-4">
          {failure}
          {tested !== undefined && <Identity tested={tested} />}
          {test.isError && <ErrorNote error={test.error} />}
          {!canUseProviders() && <p>A test needs an address of this service that begins with https.</p>}
          <p className="flex flex-wrap items-center gap-3">
            <Button
              look={status === 'draft' ? 'primary' : 'plain'}
              disabled={!canUseProviders()}
              busy={test.isPending}
              onClick={() => {
                test.mutate();
              }}
            >
              {testedAt === undefined ? 'Test the connection' : 'Test it again'}
            </Button>
            <span className="text-muted">
              {testedAt === undefined ? (
                'Not tested yet.'
              ) : (
                <>
                  Tested <Ago at={testedAt} />.
                </>
              )}
            </span>
          </p>
        </div>
      </Section>
      <Activation org={org} connection={connection} isOwner={isOwner} />
    </>
  );
}

function Identity({ tested: { identity } }: { readonly tested: TestedSsoConnection }): ReactNode {
  const { name, subject, email, groups } = identity;
  return (
    <div role="status" className="bg-good-soft rounded-md p-3">
      <p className="text-good font-medium">The test has succeeded. This is what the provider says of you:</p>
      <dl className="mt-3 grid gap-3 sm:grid-cols-2">
        <Fact name="Name">
          <span className="min-w-0 break-words">{name}</span>
        </Fact>
        <Fact name="Email">
          <span className="min-w-0 break-all">{email?.address ?? 'None: check the mapping below'}</span>
        </Fact>
        <Fact name="Identifier">
          <code className="min-w-0 font-mono text-xs break-all">{subject}</code>
        </Fact>
        <Fact name="Groups">
          <span className="min-w-0 break-words">{groups.length === 0 ? 'None' : groups.join(', ')}</span>
        </Fact>
      </dl>
    </div>
  );
}

interface ActivationProps {
  readonly org: string;
  readonly connection: SsoConnection;
  readonly isOwner: boolean;
}

function Activation({ org, connection, isOwner }: ActivationProps): ReactNode {
  const { id, status, paused_reason: reason } = connection;
  const [pausing, setPausing] = useState(false);
  const activate = useMutation({
    mutationFn: () => api.sso.connections.activate(org, id),
    onSuccess: () => refreshSso(org),
  });
  return (
    <Section title="3. Activate it" hint="Of several active connections, people get the one that was activated last.">
      <div className="grid max-w-2xl gap-3">
        {reason === 'plan' && <p className="text-warn">It was paused because your plan no longer includes SSO.</p>}
        {activate.isError && <ErrorNote error={activate.error} />}
        <p className="flex flex-wrap items-center gap-3">
          {status === 'active' ? (
            <Button
              onClick={() => {
                setPausing(true);
              }}
            >
              Pause the connection
            </Button>
          ) : (
            <Button
              look={status === 'draft' ? 'plain' : 'primary'}
              disabled={status === 'draft' || !isOwner}
              busy={activate.isPending}
              onClick={() => {
                activate.mutate();
              }}
            >
              Activate the connection
            </Button>
          )}
          <span className="text-muted">
            {status === 'active'
              ? 'People sign in through it.'
              : status === 'draft'
                ? 'Test it first.'
                : isOwner
                  ? 'It needs a verified domain.'
                  : 'An owner activates it.'}
          </span>
        </p>
      </div>
      <Confirm
        open={pausing}
        title="Pause the connection?"
        action="Pause the connection"
        danger
        onClose={() => {
          setPausing(false);
        }}
        onConfirm={async () => {
          await api.sso.connections.pause(org, id);
          await refreshSso(org);
        }}
      >
        Nobody signs in through it until it is activated again. Without another active connection, SSO is no longer
        required.
      </Confirm>
    </Section>
  );
}
