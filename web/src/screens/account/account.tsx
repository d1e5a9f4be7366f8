import type { Session } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { sessionsQuery } from '../../data/account';
import { meQuery } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { PATHS } from '../../paths';
import { Button } from '../../ui/button';
import { Copy } from '../../ui/copy';
import { ErrorNote } from '../../ui/error-note';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page, Section } from '../../ui/page';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';
import { NewPassword } from '../entry/new-password';
import { deviceOf } from './device';

export function prepare(): void {
  queries.infiniteQuery(sessionsQuery).catch(ignore);
}

export function Screen(): ReactNode {
  return (
    <Page title="Account">
      <Identity />
      <Section title="Password" hint="Changing it signs out all other devices.">
        <ChangePassword />
      </Section>
      <Section title="Sessions" hint="The devices on which you are signed in.">
        <Sessions />
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
        </div>
      )}
    </Loaded>
  );
}
