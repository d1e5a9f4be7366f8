import type { Session } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { emailQuery, sessionsQuery } from '../../data/account';
import { meQuery, useMe } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { PATHS } from '../../paths';
import { Button } from '../../ui/button';
import { Copy } from '../../ui/copy';
import { ErrorNote } from '../../ui/error-note';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page, Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';
import { NewPassword } from '../entry/new-password';
import { DeleteAccount } from './delete-account';
import { deviceOf } from './device';
import { ChangeEmail } from './email';
import { OwnData } from './own-data';
import { SignOutOthers } from './sign-out-others';

export function prepare(): void {
  queries.infiniteQuery(sessionsQuery).catch(ignore);
  queries.query(emailQuery).catch(ignore);
}

export function Screen(): ReactNode {
  return (
    <Page title="Account">
      <Identity />
      <Section title="Email address" hint="The new and the old address confirm a change.">
        <ChangeEmail />
      </Section>
      <Section title="Password" hint="Changing it signs out all other devices.">
        <Password />
      </Section>
      <Section title="Second factors" hint="Authenticator app, passkeys and recovery codes.">
        <ScreenLink to="security" params={{}} className="link">
          Set up second factors
        </ScreenLink>
      </Section>
      <Section title="Sessions" hint="The devices on which you are signed in.">
        <Sessions />
      </Section>
      <Section
        title="Your data"
        hint="Your account, sessions, keys and audit log, and what is in your personal organization, without secrets."
      >
        <OwnData />
      </Section>
      <Section title="Delete the account" hint="With your personal organization and everything in it, for good.">
        <DeleteAccount />
      </Section>
    </Page>
  );
}

function Identity(): ReactNode {
  const me = useQuery(meQuery);
  return (
    <div className="mb-8">
      <Loaded query={me} lines={2}>
        {({ user }) => (
          <dl className="card grid gap-4 p-4 sm:grid-cols-3">
            <div className="min-w-0">
              <dt className="text-muted text-xs">Username</dt>
              <dd className="mt-0.5 truncate">{user.username}</dd>
            </div>
            <div className="min-w-0">
              <dt className="text-muted text-xs">Email</dt>
              <dd className="mt-0.5 flex min-w-0 flex-wrap items-center gap-2">
                <span className="truncate">{user.email}</span>
                {user.email_verified ? (
                  <State tone="good">Verified</State>
                ) : (
                  <a className="link" href={PATHS.verifyEmail}>
                    Verify it
                  </a>
                )}
              </dd>
            </div>
            <div className="min-w-0">
              <dt className="text-muted text-xs">User id</dt>
              <dd className="mt-0.5 flex min-w-0 items-center gap-1">
                <code className="truncate font-mono text-xs">{user.id}</code>
                <Copy text={user.id} label="Copy the user id" />
              </dd>
            </div>
          </dl>
        )}
      </Loaded>
    </div>
  );
}

function Password(): ReactNode {
  const user = useMe()?.user;
  return user?.has_password === false ? <SetPassword email={user.email} /> : <ChangePassword />;
}

/** Whose account another service made has no password, and proves the address to set one. */
function SetPassword({ email }: { readonly email: string }): ReactNode {
  const send = useMutation({ mutationFn: () => api.auth.forgotPassword(email) });
  return (
    <div className="card grid max-w-md justify-items-start gap-3 p-4">
      <p>You sign in without a password. To set one, open the link that we send to {email}.</p>
      {send.isError && <ErrorNote error={send.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          busy={send.isPending}
          onClick={() => {
            send.mutate();
          }}
        >
          Send the link
        </Button>
        <span role="status">{send.isSuccess && <State tone="good">Sent</State>}</span>
      </div>
    </div>
  );
}

function ChangePassword(): ReactNode {
  // A new form is an empty one: nothing of a password stays in the page.
  const [changes, setChanges] = useState(0);
  return (
    <div className="card max-w-md p-4">
      <Form
        key={changes}
        label="Change the password"
        submit="Change the password"
        aside={<span role="status">{changes > 0 && <State tone="good">Changed</State>}</span>}
        onSubmit={async ({ current_password = '', new_password = '' }) => {
          await api.auth.changePassword({ current_password, new_password });
          setChanges((count) => count + 1);
          void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
        }}
      >
        <Field
          label="Current password"
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
        <NewPassword name="new_password" label="New password" />
      </Form>
    </div>
  );
}

function Sessions(): ReactNode {
  const sessions = useInfiniteQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: ({ id }: Session) => api.auth.endSession(id),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <Loaded query={sessions}>
      {(data) => (
        <div className="grid gap-3">
          {end.isError && <ErrorNote error={end.error} />}
          <Table
            label="Devices that are signed in"
            rows={rowsOf(data)}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Device',
                cell: ({ user_agent: agent, current }) => (
                  <span className="flex flex-wrap items-center gap-2">
                    <span title={agent}>{deviceOf(agent)}</span>
                    {current && <State tone="accent">This device</State>}
                  </span>
                ),
              },
              { title: 'Address', wideOnly: true, cell: ({ ip }) => <code className="font-mono text-xs">{ip}</code> },
              {
                title: 'Last used',
                cell: ({ last_used_at: at }) => <When at={at} />,
              },
              {
                title: 'Actions',
                actions: true,
                cell: (session) =>
                  !session.current && (
                    <Button
                      look="quiet"
                      busy={end.isPending && end.variables.id === session.id}
                      onClick={() => {
                        end.mutate(session);
                      }}
                    >
                      Sign out<span className="sr-only"> {deviceOf(session.user_agent)}</span>
                    </Button>
                  ),
              },
            ]}
            more={<More query={sessions} />}
          />
          {rowsOf(data).some(({ current }) => !current) && <SignOutOthers />}
        </div>
      )}
    </Loaded>
  );
}
