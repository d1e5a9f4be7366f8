import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { meQuery, useMay } from '../../data/me';
import { organizationQuery } from '../../data/organization';
import { PATHS, pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Copy } from '../../ui/copy';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { Section } from '../../ui/page';
import { SettingsFrame } from './settings-frame';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.query(organizationQuery(org)).catch(ignore);
}

/** The name, the address and the end of an organization. */
export function Screen({ org }: Params): ReactNode {
  const [, go] = useLocation();
  const organization = useQuery(organizationQuery(org));
  const mayChange = useMay(org, 'orgs:write');
  const [deleting, setDeleting] = useState(false);
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    await queries.invalidateQueries({ queryKey: ['organization'] });
  };
  return (
    <SettingsFrame org={org} open="settings">
      <Loaded query={organization}>
        {({ id, name, slug, personal, role, second_factor_required: isRequired, key_lifetime_days: days }) => (
          <>
            <Section title="Organization">
              <div className="card max-w-md p-4">
                <Form
                  label="Organization"
                  submit="Save"
                  onSubmit={async (values) => {
                    // A field that may not be changed is not among the values.
                    const { name: newName = name, slug: newSlug = slug } = values;
                    const news = await api.orgs.update(org, {
                      ...(newName !== name && { name: newName }),
                      ...(newSlug !== slug && { slug: newSlug }),
                    });
                    await refresh();
                    go(pathTo('settings', { org: news.slug }), { replace: true });
                  }}
                >
                  <Field label="Name" name="name" defaultValue={name} required maxLength={100} disabled={!mayChange} />
                  <Field
                    label="Slug"
                    name="slug"
                    defaultValue={slug}
                    required
                    disabled={!mayChange || personal}
                    hint={
                      personal
                        ? 'That of a personal organization is your username.'
                        : 'It is in the addresses of its repositories.'
                    }
                  />
                  <p className="text-muted flex items-center gap-1 text-sm">
                    <code className="truncate font-mono text-xs">{id}</code>
                    <Copy text={id} label="Copy the id of the organization" />
                  </p>
                </Form>
              </div>
            </Section>
            {mayChange && !personal && <FactorPolicy org={org} isRequired={isRequired} onChanged={refresh} />}
            {mayChange && <KeyPolicy org={org} days={days} onChanged={refresh} />}
            {role === 'owner' && !personal && (
              <Section title="Delete" hint="Projects, repositories, sites and data of the organization go with it.">
                <Button
                  look="danger"
                  onClick={() => {
                    setDeleting(true);
                  }}
                >
                  Delete the organization
                </Button>
                <Confirm
                  open={deleting}
                  title={`Delete ${name}?`}
                  action="Delete it for ever"
                  danger
                  typed={slug}
                  onClose={() => {
                    setDeleting(false);
                  }}
                  onConfirm={async () => {
                    await api.orgs.delete(org);
                    await refresh();
                    go(PATHS.home);
                  }}
                >
                  Its sites go offline at once. This cannot be taken back.
                </Confirm>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

/** Requires a second factor of all members, or no longer. */
function FactorPolicy({
  org,
  isRequired,
  onChanged,
}: {
  readonly org: string;
  readonly isRequired: boolean;
  readonly onChanged: () => Promise<void>;
}): ReactNode {
  const [asking, setAsking] = useState(false);
  const action = isRequired ? 'No longer require it' : 'Require a second factor';
  return (
    <Section
      title="Second factor"
      hint={isRequired ? 'Members without one have no access.' : 'Members sign in as they like.'}
    >
      <Button
        onClick={() => {
          setAsking(true);
        }}
      >
        {action}
      </Button>
      <Confirm
        open={asking}
        title={isRequired ? 'No longer require a second factor?' : 'Require a second factor?'}
        action={action}
        onClose={() => {
          setAsking(false);
        }}
        onConfirm={async () => {
          await api.orgs.update(org, { second_factor_required: !isRequired });
          await onChanged();
        }}
      >
        {isRequired
          ? 'Members without a second factor, and their keys, get their access back.'
          : 'Members without one, and their keys, have no access until they have one. Programs that use such keys stop.'}
      </Confirm>
    </Section>
  );
}

/** Limits how long new keys live, or no longer. */
function KeyPolicy({
  org,
  days,
  onChanged,
}: {
  readonly org: string;
  readonly days: number | undefined;
  readonly onChanged: () => Promise<void>;
}): ReactNode {
  return (
    <Section
      title="Keys"
      hint="Keys that exist stay as they are. The list of keys says which live longer than allowed."
    >
      <div className="card max-w-md p-4">
        <Form
          label="Keys"
          submit="Save the limit"
          onSubmit={async ({ key_lifetime_days: typed = '' }) => {
            await api.orgs.update(org, { key_lifetime_days: typed === '' ? null : Number(typed) });
            await onChanged();
          }}
        >
          <Field
            label="Longest lifetime of new keys, in days"
            name="key_lifetime_days"
            type="number"
            min={1}
            max={3650}
            step={1}
            defaultValue={days}
            placeholder="No limit"
            hint="Keys that reach the organization, also personal ones of its members, end after that."
          />
        </Form>
      </div>
    </Section>
  );
}
