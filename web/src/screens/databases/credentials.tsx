import type { DatabaseCredential, IssuedDatabaseCredential } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { credentialsQuery, databaseQuery, refreshDatabases } from '../../data/databases';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { CredentialDialog } from '../../databases/credential-form';
import { DatabaseFrame, type DatabaseParams } from '../../databases/database-frame';
import { ACCESSES } from '../../databases/database-words';
import { UrlDialog } from '../../databases/url-dialog';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Choice, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

/** How long the old secret works after a rotation. */
const GRACES = [
  [0, 'Ends at once'],
  [3_600, 'Works for another hour'],
  [86_400, 'Works for another day'],
  [604_800, 'Works for another week'],
] as const;

export function prepare({ org, database }: DatabaseParams): void {
  queries.query(databaseQuery(org, database)).catch(ignore);
  queries.infiniteQuery(credentialsQuery(org, database)).catch(ignore);
}

type Open = 'new' | { readonly rotate: DatabaseCredential } | { readonly revoke: DatabaseCredential };

export function Screen({ org, database: id }: DatabaseParams): ReactNode {
  const credentials = useInfiniteQuery(credentialsQuery(org, id));
  const mayWrite = useMay(org, 'databases:write');
  const [open, setOpen] = useState<Open>();
  const [made, setMade] = useState<IssuedDatabaseCredential>();
  const close = (): void => {
    setOpen(undefined);
  };
  const show = (credential: IssuedDatabaseCredential): void => {
    close();
    setMade(credential);
    void refreshDatabases(org);
  };
  const rotated = typeof open === 'object' && 'rotate' in open ? open.rotate : undefined;
  const revoked = typeof open === 'object' && 'revoke' in open ? open.revoke : undefined;
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setOpen('new');
      }}
    >
      New credential
    </AddButton>
  );
  return (
    <DatabaseFrame org={org} database={id} open="databaseCredentials" needsReady actions={() => add}>
      {() => (
        <>
          <Loaded query={credentials}>
            {(data) =>
              rowsOf(data).length === 0 ? (
                <Empty icon="keys" title="No credentials yet" action={add}>
                  A credential is a URL with a secret for programs outside of the platform. Apps of attached projects
                  need none.
                </Empty>
              ) : (
                <Credentials
                  rows={rowsOf(data)}
                  mayWrite={mayWrite}
                  onOpen={setOpen}
                  more={<More query={credentials} />}
                />
              )
            }
          </Loaded>
          <CredentialDialog org={org} database={id} open={open === 'new'} onClose={close} onMade={show} />
          <Dialog open={rotated !== undefined} title={`Rotate ${nameOf(rotated)}?`} onClose={close}>
            <Form
              label="Rotate"
              submit="Rotate the credential"
              aside={<Button onClick={close}>Cancel</Button>}
              onSubmit={async ({ grace_seconds: grace = '86400' }) => {
                show(
                  await api.databases.credentials.rotate(
                    id,
                    rotated!.id,
                    { grace_seconds: Number(grace) },
                    { organization: org },
                  ),
                );
              }}
            >
              <p className="text-muted">A new URL with another user and another secret is made, and shown once.</p>
              <Choice label="The old one" name="grace_seconds" defaultValue="86400">
                {GRACES.map(([seconds, word]) => (
                  <option key={seconds} value={seconds}>
                    {word}
                  </option>
                ))}
              </Choice>
            </Form>
          </Dialog>
          <Confirm
            open={revoked !== undefined}
            title={`Revoke ${nameOf(revoked)}?`}
            action="Revoke the credential"
            danger
            onClose={close}
            onConfirm={async () => {
              if (revoked !== undefined) await api.databases.credentials.delete(id, revoked.id, { organization: org });
              await refreshDatabases(org);
            }}
          >
            Programs that use it are refused at once, and their open connections end. This cannot be undone.
          </Confirm>
          <UrlDialog
            made={made}
            onClose={() => {
              setMade(undefined);
            }}
          />
        </>
      )}
    </DatabaseFrame>
  );
}

const nameOf = (credential: DatabaseCredential | undefined): string => credential?.name ?? credential?.user ?? '';

interface CredentialsProps {
  readonly rows: readonly DatabaseCredential[];
  readonly mayWrite: boolean;
  readonly onOpen: (open: Open) => void;
  readonly more: ReactNode;
}

function Credentials({ rows, mayWrite, onOpen, more }: CredentialsProps): ReactNode {
  return (
    <Table
      label="Credentials"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ name, user }) => (
            <div className="max-w-32 sm:max-w-64">
              <span className="block truncate font-medium">{name}</span>
              <code className="text-muted block truncate font-mono text-xs">{user}</code>
            </div>
          ),
        },
        { title: 'Access', cell: ({ access }) => ACCESSES[access][0] },
        {
          title: 'Last used',
          wideOnly: true,
          cell: ({ last_used_at: at }) => <When at={at} />,
        },
        {
          title: 'Ends',
          wideOnly: true,
          cell: ({ expires_at: at }) => <When at={at} />,
        },
        {
          title: 'Actions',
          actions: true,
          cell: (credential) =>
            mayWrite && (
              <span className="inline-flex">
                {credential.expires_at === null && (
                  <Button
                    look="quiet"
                    onClick={() => {
                      onOpen({ rotate: credential });
                    }}
                  >
                    Rotate<span className="sr-only"> {nameOf(credential)}</span>
                  </Button>
                )}
                <Button
                  look="quiet"
                  onClick={() => {
                    onOpen({ revoke: credential });
                  }}
                >
                  Revoke<span className="sr-only"> {nameOf(credential)}</span>
                </Button>
              </span>
            ),
        },
      ]}
    />
  );
}
