import type { AddedFactor, Factor } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { sessionsQuery } from '../../data/account';
import { factorsQuery } from '../../data/factors';
import { identitiesQuery, signInMethodsQuery } from '../../identities/flows';
import { createPasskey, hasPasskeys } from '../../factors/passkey';
import { RecoveryCodes } from '../../factors/recovery-codes';
import { PATHS } from '../../paths';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { Page, Section } from '../../ui/page';
import { Table } from '../../ui/table';
import { Ago, When } from '../../ui/time';

const AppSetup = lazy(async () => ({ default: (await import('../../factors/app-setup')).AppSetup }));
const SignOutOthers = lazy(async () => ({ default: (await import('./sign-out-others')).SignOutOthers }));
const ConnectedAccounts = lazy(async () => ({
  default: (await import('../../identities/connected-accounts')).ConnectedAccounts,
}));

export function prepare(): void {
  queries.query(factorsQuery).catch(ignore);
  queries.query(identitiesQuery).catch(ignore);
  queries.query(signInMethodsQuery).catch(ignore);
}

type Open = 'app' | 'passkey' | 'codes' | undefined;

/** The second factors of a person, and the accounts that sign in. */
export function Screen(): ReactNode {
  const factors = useQuery(factorsQuery);
  const [open, setOpen] = useState<Open>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = (): void => {
    setOpen(undefined);
  };
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: factorsQuery.queryKey });
    void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const added = async ({ recovery_codes: made }: AddedFactor): Promise<void> => {
    close();
    setCodes(made);
    await refresh();
  };
  return (
    <Page title="Security" above={[['Account', PATHS.account]]}>
      <Section
        title="Second factors"
        hint="A stolen password opens nothing then. With the first one, your other devices are signed out."
      >
        <Loaded query={factors}>
          {(data) => (
            <div className="grid gap-4">
              {data.recovery_due_at !== undefined && (
                <p role="alert" className="bg-bad-soft rounded-md p-3">
                  A person with your password says that your factors are lost. They are removed{' '}
                  <Ago at={data.recovery_due_at} />. If it was not you, change your password: that stops it.
                </p>
              )}
              <FactorTable factors={data.factors} onRemoved={refresh} />
              <div className="flex flex-wrap gap-2">
                <Button
                  onClick={() => {
                    setOpen('app');
                  }}
                >
                  {data.factors.some(({ type }) => type === 'totp') ? 'Replace the app' : 'Add an authenticator app'}
                </Button>
                {hasPasskeys() && (
                  <Button
                    onClick={() => {
                      setOpen('passkey');
                    }}
                  >
                    Add a passkey
                  </Button>
                )}
              </div>
            </div>
          )}
        </Loaded>
      </Section>
      {factors.data !== undefined && factors.data.factors.length > 0 && (
        <Section title="Recovery codes" hint="They stand in for a factor that you have lost.">
          <div className="flex flex-wrap items-center gap-4">
            <span>{factors.data.recovery_codes_left} of 10 are left.</span>
            <Button
              onClick={() => {
                setOpen('codes');
              }}
            >
              Create new codes
            </Button>
          </div>
        </Section>
      )}
      <Section title="Other devices" hint="After you have changed a factor, sign them out to be sure.">
        <Suspense fallback={null}>
          <SignOutOthers />
        </Suspense>
      </Section>
      <Suspense fallback={null}>
        <ConnectedAccounts />
      </Suspense>
      <Dialog open={open === 'app'} title="Authenticator app" onClose={close}>
        <Suspense fallback={null}>
          <AppSetup onAdded={(factor) => void added(factor)} />
        </Suspense>
      </Dialog>
      <Dialog open={open === 'passkey'} title="New passkey" onClose={close}>
        <Form
          label="New passkey"
          submit="Create the passkey"
          onSubmit={async ({ name = '' }) => {
            await added(await api.auth.addPasskey({ name, passkey: await createPasskey() }));
          }}
        >
          <p className="text-muted">
            It signs you in alone, unlocked by your face, your finger or a code of the device.
          </p>
          <Field label="Name" name="name" required autoFocus maxLength={100} placeholder="Laptop" />
        </Form>
      </Dialog>
      <Confirm
        open={open === 'codes'}
        title="Create new recovery codes?"
        action="Create new codes"
        onClose={close}
        onConfirm={async () => {
          const { recovery_codes: made } = await api.auth.renewRecoveryCodes();
          setCodes(made);
          await refresh();
        }}
      >
        The codes that you have stop working.
      </Confirm>
      <Dialog
        open={codes !== undefined && open === undefined}
        title="Your recovery codes"
        onClose={() => {
          setCodes(undefined);
        }}
      >
        <RecoveryCodes
          codes={codes ?? []}
          onDone={() => {
            setCodes(undefined);
          }}
        />
      </Dialog>
    </Page>
  );
}

function FactorTable({
  factors,
  onRemoved,
}: {
  readonly factors: readonly Factor[];
  readonly onRemoved: () => Promise<void>;
}): ReactNode {
  const [removing, setRemoving] = useState<Factor>();
  if (factors.length === 0)
    return (
      <Empty icon="keys" title="No second factor">
        Your password alone signs in.
      </Empty>
    );
  return (
    <>
      <Table
        label="Second factors"
        rows={factors}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Factor', cell: (factor) => nameOf(factor) },
          { title: 'Added', wideOnly: true, cell: ({ created_at: at }) => <When at={at} /> },
          { title: 'Last used', cell: ({ last_used_at: at }) => <When at={at ?? null} /> },
          {
            title: 'Actions',
            actions: true,
            cell: (factor) => (
              <Button
                look="quiet"
                onClick={() => {
                  setRemoving(factor);
                }}
              >
                Remove<span className="sr-only"> {nameOf(factor)}</span>
              </Button>
            ),
          },
        ]}
      />
      <Confirm
        open={removing !== undefined}
        title={removing === undefined ? '' : `Remove ${nameOf(removing)}?`}
        action="Remove it"
        danger
        onClose={() => {
          setRemoving(undefined);
        }}
        onConfirm={async () => {
          await api.auth.removeFactor(removing!.id);
          await onRemoved();
        }}
      >
        {factors.length === 1
          ? 'It is your last one: your password alone signs in then, and your recovery codes end.'
          : 'Your other factors keep working.'}
      </Confirm>
    </>
  );
}

const nameOf = ({ type, name }: Factor): string => (type === 'totp' ? 'Authenticator app' : `Passkey ${name ?? ''}`);
