import type { Key, KeyWithSecret, Organization, Preset } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { keysQuery } from '../../data/keys';
import { useMay, useMe, useOrganization } from '../../data/me';
import { organizationQuery } from '../../data/organization';
import { rowsOf } from '../../data/paged';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { EndsChoice } from '../../ui/ends-choice';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { Ago } from '../../ui/time';
import { KeysFrame } from './keys-frame';

interface Params {
  readonly org: string;
}

const PRESETS: readonly (readonly [Preset, string, string])[] = [
  ['full', 'Everything that you may', 'All that your role allows.'],
  ['ci_deploy', 'Deploys from CI', 'Pushes, deploys and their logs; nothing of money and people.'],
  ['read_only', 'Read only', 'Sees everything and changes nothing.'],
  ['agent', 'An agent', 'What a program that works on its own needs.'],
];

export function prepare({ org }: Params): void {
  queries.infiniteQuery(keysQuery(org)).catch(ignore);
  queries.query(organizationQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const keys = useInfiniteQuery(keysQuery(org));
  const mayWrite = useMay(org, 'keys:write');
  const organization = useQuery(organizationQuery(org));
  const [open, setOpen] = useState<'new' | Key>();
  const [authorizing, setAuthorizing] = useState<Key>();
  const close = (): void => {
    setOpen(undefined);
  };
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setOpen('new');
      }}
    >
      New key
    </AddButton>
  );
  return (
    <KeysFrame org={org} open="keys" actions={add}>
      <Loaded query={keys}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="keys" title="No keys yet" action={add}>
              Programs, the command line and CI call the API with a key. What it opens is yours to choose.
            </Empty>
          ) : (
            <Keys
              keys={rowsOf(data)}
              organization={organization.data}
              mayWrite={mayWrite}
              onRevoke={setOpen}
              onAuthorize={setAuthorizing}
              more={<More query={keys} />}
            />
          )
        }
      </Loaded>
      <NewKeyDialog org={org} open={open === 'new'} onClose={close} />
      <Confirm
        open={typeof open === 'object'}
        title="Revoke this key?"
        action="Revoke the key"
        danger
        onClose={close}
        onConfirm={async () => {
          if (typeof open === 'object') await api.keys.revoke(open.id);
          await queries.invalidateQueries({ queryKey: keysQuery(org).queryKey });
        }}
      >
        Programs that use <b className="text-ink">{typeof open === 'object' ? open.name : ''}</b> are refused at once. A
        revoked key cannot be taken back.
      </Confirm>
      <Confirm
        open={authorizing !== undefined}
        title="Authorize this key for SSO?"
        action="Authorize the key"
        onClose={() => {
          setAuthorizing(undefined);
        }}
        onConfirm={async () => {
          await api.keys.authorize(authorizing!.id, org);
          await queries.invalidateQueries({ queryKey: keysQuery(org).queryKey });
        }}
      >
        Programs that use <b className="text-ink">{authorizing?.name}</b> then reach this organization while it requires
        SSO. You need to have signed in with SSO yourself.
      </Confirm>
    </KeysFrame>
  );
}

interface KeysProps {
  readonly keys: readonly Key[];
  readonly mayWrite: boolean;
  readonly onRevoke: (key: Key) => void;
  readonly onAuthorize: (key: Key) => void;
  /** Undefined while nothing is known of it. */
  readonly organization: Organization | undefined;
  readonly more: ReactNode;
}

/** `projects:read and 5 more`, or `Everything`. The full list is the title. */
function rightsIn([first = 'None', ...others]: readonly string[]): string {
  if (first === '*') return 'Everything';
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

const STATES = { active: ['good', 'Active'], expired: ['quiet', 'Expired'], revoked: ['quiet', 'Revoked'] } as const;

function Keys({ keys, organization, mayWrite, onRevoke, onAuthorize, more }: KeysProps): ReactNode {
  const me = useMe()?.user.id;
  const hasSso = organization?.sso.active === true;
  const isAuthorized = ({ sso_org_ids: orgs = [] }: Key): boolean => orgs.includes(organization?.id ?? '');
  return (
    <Table
      label="Keys"
      rows={keys}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ name, prefix, last4, source }) => (
            <div className="max-w-40 sm:max-w-64">
              <span className="block truncate font-medium">{name}</span>
              {source === 'oauth' ? (
                <span className="text-muted text-xs">Connected app</span>
              ) : (
                <code className="text-muted font-mono text-xs">
                  {prefix}…{last4}
                </code>
              )}
            </div>
          ),
        },
        {
          title: 'State',
          cell: (key) => (
            <>
              <State tone={STATES[key.status][0]}>{STATES[key.status][1]}</State>
              {key.exceeds_lifetime_policy === true && (
                <span className="text-muted block text-xs">Lives longer than allowed</span>
              )}
              {hasSso && key.status === 'active' && (
                <span className="text-muted block text-xs">
                  {isAuthorized(key) ? 'Authorized for SSO' : 'Not authorized for SSO'}
                </span>
              )}
            </>
          ),
        },
        {
          title: 'Rights',
          wideOnly: true,
          cell: ({ scopes }) => (
            <span className="text-muted block max-w-56 truncate" title={scopes.join('\n')}>
              {rightsIn(scopes)}
            </span>
          ),
        },
        {
          title: 'Last used',
          wideOnly: true,
          cell: ({ last_used_at: at }) => (
            <span className="text-muted whitespace-nowrap">{at === undefined ? 'Never' : <Ago at={at} />}</span>
          ),
        },
        {
          title: 'Actions',
          actions: true,
          cell: (key) =>
            mayWrite &&
            key.status === 'active' && (
              <span className="flex flex-wrap justify-end">
                {hasSso && key.user_id === me && !isAuthorized(key) && (
                  <Button
                    look="quiet"
                    onClick={() => {
                      onAuthorize(key);
                    }}
                  >
                    Authorize for SSO<span className="sr-only"> {key.name}</span>
                  </Button>
                )}
                <Button
                  look="quiet"
                  onClick={() => {
                    onRevoke(key);
                  }}
                >
                  Revoke<span className="sr-only"> {key.name}</span>
                </Button>
              </span>
            ),
        },
      ]}
    />
  );
}

interface NewKeyDialogProps {
  readonly org: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** The secret is shown once, and gone with the dialog. */
function NewKeyDialog({ org, open, onClose }: NewKeyDialogProps): ReactNode {
  const organization = useOrganization(org);
  const { data: settings } = useQuery(organizationQuery(org));
  const [made, setMade] = useState<KeyWithSecret>();
  const [preset, setPreset] = useState<Preset>('full');
  const close = (): void => {
    setMade(undefined);
    onClose();
  };
  if (made !== undefined)
    return (
      <Dialog open={open} title="Your new key" onClose={close} wide>
        <p className="mb-3">Copy it now: it is not shown again, and nobody can look it up.</p>
        <CopyLine text={made.secret} label="The secret of the key" />
        <div className="mt-5 flex justify-end">
          <Button look="primary" onClick={close}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog open={open} title="New key" onClose={close}>
      <Form
        label="New key"
        submit="Create the key"
        aside={<Button onClick={close}>Cancel</Button>}
        onSubmit={async ({ name = '', expires_in_days: days = '', place }) => {
          const rights = { name, preset, ...(days === '' ? {} : { expires_in_days: Number(days) }) };
          const key = await api.keys.create(
            place === 'org_bound' && organization !== undefined
              ? { ...rights, kind: 'org_bound', org_id: organization.id }
              : { ...rights, kind: 'personal' },
            { organization: org },
          );
          setMade(key);
          await queries.invalidateQueries({ queryKey: keysQuery(org).queryKey });
        }}
      >
        <Field label="Name" name="name" required maxLength={100} autoFocus placeholder="CI of the shop" />
        <Choice
          label="Rights"
          name="preset"
          value={preset}
          onChange={(event) => {
            setPreset(event.target.value as Preset);
          }}
          hint={PRESETS.find(([id]) => id === preset)?.[2]}
        >
          {PRESETS.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
        <Choice label="Belongs to" name="place" hint="A key of the organization goes on working when you leave it.">
          <option value="personal">You, in all your organizations</option>
          {organization !== undefined && <option value="org_bound">{organization.name} alone</option>}
        </Choice>
        <EndsChoice name="expires_in_days" defaultValue="90" limitDays={settings?.key_lifetime_days} />
      </Form>
    </Dialog>
  );
}
