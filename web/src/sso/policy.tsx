import type { Organization } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, organizationWithSso, queries } from '../api';
import { meQuery } from '../data/me';
import { membersQuery } from '../data/organization';
import { rowsOf } from '../data/paged';
import { SsoButton } from '../identities/sso-button';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Field, Form } from '../ui/form';
import { Loaded } from '../ui/loaded';
import { More } from '../ui/more';
import { Section } from '../ui/page';
import { State } from '../ui/state';

const MAX_HOURS = 720;
const MAX_EXEMPT = 2;

/** What the organization requires of sign-ins. Only owners change it. */
export function Policy({ organization }: { readonly organization: Organization }): ReactNode {
  const { id, role, sso } = organization;
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['organization'] });
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return (
    <Section title="Require SSO" hint="Until you require it, people can also sign in another way.">
      <div className="grid gap-4">
        <p>
          {sso.required ? (
            <State tone="good">Required</State>
          ) : (
            <State tone="quiet">{sso.active ? 'Not required' : 'Needs an active connection'}</State>
          )}
        </p>
        {role !== 'owner' ? (
          <p className="text-muted">Only owners change it.</p>
        ) : (
          <>
            <Requirement organization={organization} onChanged={refresh} />
            <div className="card max-w-md p-4">
              <Form
                label="How long a sign-in counts"
                submit="Save the hours"
                onSubmit={async ({ sso_session_hours: hours }) => {
                  await api.orgs.update(id, { sso_session_hours: Number(hours) });
                  await refresh();
                }}
              >
                <Field
                  label="Hours that a sign-in with SSO counts"
                  name="sso_session_hours"
                  type="number"
                  min={1}
                  max={MAX_HOURS}
                  step={1}
                  required
                  defaultValue={sso.session_hours}
                  hint="After that, people sign in at the identity provider again."
                />
              </Form>
            </div>
            <ExemptOwners organization={organization} onChanged={refresh} />
          </>
        )}
      </div>
    </Section>
  );
}

interface PartProps {
  readonly organization: Organization;
  readonly onChanged: () => Promise<void>;
}

function Requirement({ organization, onChanged }: PartProps): ReactNode {
  const { id, slug, sso } = organization;
  const [asking, setAsking] = useState(false);
  const [isOutside, setOutside] = useState(false);
  const close = (): void => {
    setAsking(false);
    setOutside(false);
  };
  const cancel = <Button onClick={close}>Cancel</Button>;
  const action = sso.required ? 'No longer require SSO' : 'Require SSO';
  return (
    <div>
      <Button
        look={sso.required ? 'plain' : 'primary'}
        disabled={!sso.active && !sso.required}
        onClick={() => {
          setAsking(true);
        }}
      >
        {action}
      </Button>
      <Dialog open={asking} title={`${action}?`} onClose={close}>
        {isOutside ? (
          <div className="grid gap-4">
            <p role="alert">
              You did not sign in with SSO yourself. Do it now and come back here: so it is certain that you do not lock
              yourself out.
            </p>
            <SsoButton wanted={{ org: slug }} next={location.pathname}>
              Sign in with SSO
            </SsoButton>
          </div>
        ) : (
          <Form
            label={action}
            submit={action}
            look={sso.required ? 'primary' : 'danger'}
            aside={cancel}
            onSubmit={async () => {
              try {
                await api.orgs.update(id, { sso_required: !sso.required });
              } catch (error) {
                if (organizationWithSso(error) === undefined) throw error;
                setOutside(true);
                return;
              }
              await onChanged();
              close();
            }}
          >
            {sso.required ? (
              <p className="text-muted">Members and their keys have access again, however they signed in.</p>
            ) : (
              <>
                <p className="text-muted">These have no access from then on:</p>
                <ul className="text-muted list-disc pl-5">
                  <li>members who signed in with a password, GitHub or Google, until they sign in with SSO</li>
                  <li>members whom your identity provider does not know</li>
                  <li>API keys of members, until their owners authorize them for SSO. Programs with them stop</li>
                </ul>
                <p className="text-muted">
                  {sso.exempt_owners.length === 0
                    ? 'No owner is exempt: nobody comes in while your identity provider fails. Choose one or two below first.'
                    : 'The owners who are exempt come in with a passkey while your identity provider fails.'}
                </p>
              </>
            )}
          </Form>
        )}
      </Dialog>
    </div>
  );
}

/** Names of boxes, which the service does not know. */
const BOX = 'owner-';

function ExemptOwners({ organization, onChanged }: PartProps): ReactNode {
  const { id, slug, sso } = organization;
  const members = useInfiniteQuery(membersQuery(slug));
  return (
    <div className="card max-w-md p-4">
      <Loaded query={members} lines={2}>
        {(data) => (
          <>
            <Form
              label="Exempt owners"
              submit="Save the owners"
              onSubmit={async (values) => {
                const chosen = Object.keys(values)
                  .filter((name) => name.startsWith(BOX))
                  .map((name) => name.slice(BOX.length));
                if (chosen.length > MAX_EXEMPT) throw new Error(`Choose at most ${MAX_EXEMPT} owners.`);
                await api.orgs.update(id, { sso_exempt_owners: chosen });
                await onChanged();
              }}
            >
              <fieldset className="grid gap-2">
                <legend className="mb-1 font-medium">Owners who may come in without SSO</legend>
                {rowsOf(data)
                  .filter(({ role }) => role === 'owner')
                  .map(({ user }) => (
                    <label key={user.id} className="flex min-h-6 items-center gap-2">
                      <input
                        type="checkbox"
                        name={BOX + user.id}
                        defaultChecked={sso.exempt_owners.includes(user.id)}
                        className="size-4"
                      />
                      <span className="truncate">{user.username}</span>
                    </label>
                  ))}
              </fieldset>
              <p className="text-muted text-sm">
                At most two, for when your identity provider fails. They need a passkey. Each entry is in the audit log,
                and all owners get a message.
              </p>
            </Form>
            <More query={members} />
          </>
        )}
      </Loaded>
    </div>
  );
}
