import type { Invitation, Member, Role } from '@service/client';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay, useMe, useOrganization } from '../../data/me';
import { invitationsQuery, membersQuery } from '../../data/organization';
import { rowsOf } from '../../data/paged';
import { PATHS } from '../../paths';
import { Avatar } from '../../ui/avatar';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { ErrorNote } from '../../ui/error-note';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page, Section } from '../../ui/page';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
}

const ROLES: readonly (readonly [Role, string])[] = [
  ['viewer', 'Viewer: sees everything'],
  ['member', 'Member: deploys and runs code'],
  ['admin', 'Admin: people, keys and settings'],
  ['owner', 'Owner: money and deletion too'],
];

const refresh = (org: string): Promise<void> => queries.invalidateQueries({ queryKey: ['organization', org] });

export function prepare({ org }: Params): void {
  queries.infiniteQuery(membersQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const organization = useOrganization(org);
  const mayChange = useMay(org, 'orgs:members');
  const [inviting, setInviting] = useState(false);
  const isPersonal = organization?.personal === true;
  return (
    <Page
      title="Members"
      actions={
        mayChange &&
        !isPersonal && (
          <AddButton
            onClick={() => {
              setInviting(true);
            }}
          >
            Invite
          </AddButton>
        )
      }
    >
      {isPersonal && (
        <p className="text-muted mb-4">
          This is your personal organization, which has no other members.{' '}
          <Link href={PATHS.newOrganization} className="link">
            Create an organization
          </Link>{' '}
          to work with others.
        </p>
      )}
      <Members org={org} mayChange={mayChange && !isPersonal} />
      {mayChange && !isPersonal && <Invitations org={org} />}
      <Dialog
        open={inviting}
        title="Invite a member"
        onClose={() => {
          setInviting(false);
        }}
      >
        <Form
          label="Invite a member"
          submit="Send the invitation"
          aside={
            <Button
              onClick={() => {
                setInviting(false);
              }}
            >
              Cancel
            </Button>
          }
          onSubmit={async ({ email = '', role }) => {
            await api.orgs.invite(org, { email, role: role as Role });
            setInviting(false);
            await refresh(org);
          }}
        >
          <Field label="Email" name="email" type="email" required autoFocus />
          <RoleChoice name="role" value="member" />
        </Form>
      </Dialog>
    </Page>
  );
}

function RoleChoice({ name, value }: { readonly name: string; readonly value: Role }): ReactNode {
  return (
    <Choice label="Role" name={name} defaultValue={value}>
      {ROLES.map(([role, text]) => (
        <option key={role} value={role}>
          {text}
        </option>
      ))}
    </Choice>
  );
}

function Members({ org, mayChange }: { readonly org: string; readonly mayChange: boolean }): ReactNode {
  const me = useMe();
  const members = useInfiniteQuery(membersQuery(org));
  const [changing, setChanging] = useState<Member>();
  const [removing, setRemoving] = useState<Member>();
  return (
    <Loaded query={members}>
      {(data) => (
        <>
          <Table
            label="Members"
            rows={rowsOf(data)}
            keyOf={({ user }) => user.id}
            more={<More query={members} />}
            columns={[
              {
                title: 'Name',
                cell: ({ user }) => (
                  <span className="flex max-w-40 items-center gap-2.5 sm:max-w-64">
                    <Avatar name={user.username} />
                    <span className="truncate font-medium">{user.username}</span>
                    {user.id === me?.user.id && <span className="text-muted">you</span>}
                  </span>
                ),
              },
              { title: 'Role', cell: ({ role }) => <span className="capitalize">{role}</span> },
              {
                title: 'Since',
                wideOnly: true,
                cell: ({ joined_at: at }) => (
                  <span className="text-muted">
                    <Ago at={at} />
                  </span>
                ),
              },
              {
                title: 'Actions',
                actions: true,
                cell: (member) =>
                  mayChange && (
                    <span className="flex justify-end">
                      <Button
                        look="quiet"
                        onClick={() => {
                          setChanging(member);
                        }}
                      >
                        Change<span className="sr-only"> the role of {member.user.username}</span>
                      </Button>
                      <Button
                        look="quiet"
                        onClick={() => {
                          setRemoving(member);
                        }}
                      >
                        Remove<span className="sr-only"> {member.user.username}</span>
                      </Button>
                    </span>
                  ),
              },
            ]}
          />
          <Dialog
            open={changing !== undefined}
            title={`The role of ${changing?.user.username ?? ''}`}
            onClose={() => {
              setChanging(undefined);
            }}
          >
            <Form
              label="Role"
              submit="Change the role"
              onSubmit={async ({ role }) => {
                await api.orgs.changeRole(org, changing!.user.id, role as Role);
                setChanging(undefined);
                await refresh(org);
              }}
            >
              <RoleChoice name="role" value={changing?.role ?? 'member'} />
            </Form>
          </Dialog>
          <Confirm
            open={removing !== undefined}
            title={`Remove ${removing?.user.username ?? ''}?`}
            action="Remove"
            danger
            onClose={() => {
              setRemoving(undefined);
            }}
            onConfirm={async () => {
              await api.orgs.removeMember(org, removing!.user.id);
              await refresh(org);
            }}
          >
            They lose access at once, and so do their personal keys. What they made stays.
          </Confirm>
        </>
      )}
    </Loaded>
  );
}

function Invitations({ org }: { readonly org: string }): ReactNode {
  const invitations = useInfiniteQuery(invitationsQuery(org));
  const cancel = useMutation({
    mutationFn: ({ id }: Invitation) => api.orgs.cancelInvitation(org, id),
    onSettled: () => refresh(org),
  });
  return (
    <div className="mt-8">
      <Section title="Invitations" hint="Sent, and not accepted yet.">
        {cancel.isError && <ErrorNote error={cancel.error} />}
        <Loaded query={invitations} lines={1}>
          {(data) =>
            rowsOf(data).length === 0 ? (
              <Empty icon="members" title="No open invitations" />
            ) : (
              <Table
                label="Open invitations"
                rows={rowsOf(data)}
                keyOf={({ id }) => id}
                more={<More query={invitations} />}
                columns={[
                  {
                    title: 'Email',
                    cell: ({ email }) => <span className="block max-w-48 truncate sm:max-w-80">{email}</span>,
                  },
                  { title: 'Role', cell: ({ role }) => <span className="capitalize">{role}</span> },
                  {
                    title: 'Ends',
                    wideOnly: true,
                    cell: ({ expires_at: at }) => (
                      <span className="text-muted">
                        <Ago at={at} />
                      </span>
                    ),
                  },
                  {
                    title: 'Actions',
                    actions: true,
                    cell: (invitation) => (
                      <Button
                        look="quiet"
                        busy={cancel.isPending && cancel.variables.id === invitation.id}
                        onClick={() => {
                          cancel.mutate(invitation);
                        }}
                      >
                        Cancel<span className="sr-only"> the invitation of {invitation.email}</span>
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}
