import type { IssuedScimToken, ScimToken, SsoConnection } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, queries } from '../api';
import { scimTokensQuery } from '../data/sso';
import { AddButton } from '../ui/add-button';
import { Button } from '../ui/button';
import { Confirm } from '../ui/confirm';
import { Dialog } from '../ui/dialog';
import { Choice, Field, Form } from '../ui/form';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { Table } from '../ui/table';
import { Ago, When } from '../ui/time';
import { Values } from './values';

const DAY_MS = 86_400_000;

interface ProvisioningProps {
  readonly org: string;
  readonly connection: SsoConnection;
}

/** The tokens with which the identity provider adds and removes people before they sign in. */
export function Provisioning({ org, connection }: ProvisioningProps): ReactNode {
  const { id } = connection;
  const tokens = useQuery(scimTokensQuery(org, id));
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ScimToken>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: scimTokensQuery(org, id).queryKey });
  return (
    <Section
      title="Provisioning"
      hint="With SCIM 2.0, your identity provider adds people before they sign in, and ends their access at once."
    >
      <div className="grid justify-items-start gap-4">
        <Values values={[['Base URL to enter at the provider', baseUrlOf(connection)]]} />
        <div className="w-full min-w-0">
          <Loaded query={tokens} lines={1}>
            {(data) =>
              data.length === 0 ? (
                <p className="text-muted">No tokens yet.</p>
              ) : (
                <Tokens tokens={data} onRevoke={setRevoking} />
              )
            }
          </Loaded>
        </div>
        <AddButton
          onClick={() => {
            setCreating(true);
          }}
        >
          New token
        </AddButton>
      </div>
      <NewToken
        org={org}
        connection={id}
        open={creating}
        onClose={() => {
          setCreating(false);
        }}
        onCreated={refresh}
      />
      <Confirm
        open={revoking !== undefined}
        title="Revoke this token?"
        action="Revoke the token"
        danger
        onClose={() => {
          setRevoking(undefined);
        }}
        onConfirm={async () => {
          await api.sso.scimTokens.revoke(org, id, revoking!.id);
          await refresh();
        }}
      >
        The provider is refused at its next call with <b className="text-ink">{revoking?.name}</b>. People that it added
        stay.
      </Confirm>
    </Section>
  );
}

/** The addresses of a connection have one beginning. */
function baseUrlOf({ id, oidc, saml }: SsoConnection): string {
  const [service] = (oidc?.redirect_uri ?? saml?.acs_url ?? '').split('/sign-in/sso/');
  return `${service}/scim/v2/${id}`;
}

interface TokensProps {
  readonly tokens: readonly ScimToken[];
  readonly onRevoke: (token: ScimToken) => void;
}

function Tokens({ tokens, onRevoke }: TokensProps): ReactNode {
  return (
    <Table
      label="SCIM tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Name',
          cell: ({ name, prefix, last4 }) => (
            <div className="max-w-40 sm:max-w-64">
              <span className="block truncate font-medium">{name}</span>
              <code className="text-muted font-mono text-xs">
                {prefix}…{last4}
              </code>
            </div>
          ),
        },
        { title: 'Last used', wideOnly: true, cell: ({ last_used_at: at }) => <When at={at ?? null} /> },
        {
          title: 'Ends',
          cell: ({ expires_at: at }) => (
            <span className="text-muted whitespace-nowrap">
              {Date.parse(at) < Date.now() ? 'Ended ' : ''}
              <Ago at={at} />
            </span>
          ),
        },
        {
          title: 'Actions',
          actions: true,
          cell: (token) => (
            <Button
              look="quiet"
              onClick={() => {
                onRevoke(token);
              }}
            >
              Revoke<span className="sr-only"> {token.name}</span>
            </Button>
          ),
        },
      ]}
    />
  );
}

interface NewTokenProps {
  readonly org: string;
  readonly connection: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => Promise<void>;
}

/** The token is shown once, and gone with the dialog. */
function NewToken({ org, connection, open, onClose, onCreated }: NewTokenProps): ReactNode {
  const [made, setMade] = useState<IssuedScimToken>();
  const close = (): void => {
    setMade(undefined);
    onClose();
  };
  if (made !== undefined)
    return (
      <Dialog open={open} title="Your new SCIM token" onClose={close} wide>
        <p className="mb-3">Enter both at the provider now: the token is not shown again, and nobody can look it up.</p>
        <Values
          values={[
            ['Base URL', made.base_url],
            ['Token', made.secret],
          ]}
        />
        <div className="mt-5 flex justify-end">
          <Button look="primary" onClick={close}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog open={open} title="New SCIM token" onClose={close}>
      <Form
        label="New SCIM token"
        submit="Create the token"
        aside={<Button onClick={close}>Cancel</Button>}
        onSubmit={async ({ name = '', days = '' }) => {
          const ends = days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
          setMade(await api.sso.scimTokens.create(org, connection, { name, ...ends }));
          await onCreated();
        }}
      >
        <Field label="Name" name="name" required autoFocus maxLength={100} placeholder="Provisioning by Okta" />
        <Choice label="Ends" name="days" defaultValue="" hint="Enter another one at the provider before that.">
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="">In a year</option>
        </Choice>
      </Form>
    </Dialog>
  );
}
