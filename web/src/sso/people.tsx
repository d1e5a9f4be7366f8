import type { SsoConnection } from '@service/client';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import { refreshSso } from '../data/sso';
import { Button } from '../ui/button';
import { Choice, Field, Form } from '../ui/form';
import { Section } from '../ui/page';

type GivenRole = SsoConnection['default_role'];

const ROLES: readonly (readonly [GivenRole, string])[] = [
  ['viewer', 'Viewer'],
  ['member', 'Member'],
  ['admin', 'Admin'],
];

interface PeopleProps {
  readonly org: string;
  readonly connection: SsoConnection;
}

interface GroupRow {
  readonly key: number;
  readonly group: string;
  readonly role: GivenRole;
}

/** Who joins the organization through the connection, and with which role. */
export function People({ org, connection }: PeopleProps): ReactNode {
  const { id, name, default_role: role, group_roles: given, jit } = connection;
  const [rows, setRows] = useState<readonly GroupRow[]>(() => given.map((each, key) => ({ ...each, key })));
  const [nextKey, setNextKey] = useState(given.length);
  return (
    <Section title="People" hint="A connection never makes owners, and leaves those that there are.">
      <div className="card max-w-lg p-4">
        <Form
          label="People"
          submit="Save"
          onSubmit={async (values) => {
            await api.sso.connections.update(org, id, {
              name: values['name'] ?? name,
              default_role: values['default_role'] as GivenRole,
              jit: 'jit' in values,
              group_roles: rows.map((_, at) => ({
                group: values[`group_roles.${at}.group`] ?? '',
                role: values[`group_roles.${at}.role`] as GivenRole,
              })),
            });
            await refreshSso(org);
          }}
        >
          <Field label="Name of the connection" name="name" required maxLength={100} defaultValue={name} />
          <label className="flex gap-2">
            <input type="checkbox" name="jit" defaultChecked={jit} className="mt-0.5 size-4 shrink-0" />
            <span>People join at their first sign-in, without an invitation</span>
          </label>
          <RoleChoice label="Role of those in none of the groups" name="default_role" value={role} />
          <fieldset className="grid gap-3">
            <legend className="mb-1 font-medium">Roles by groups</legend>
            <p className="text-muted text-sm">
              Groups as the provider names them. Of several, the highest role counts, at each sign-in.
            </p>
            {rows.map(({ key, group, role: own }, at) => (
              <div
                key={key}
                className="border-line grid gap-3 rounded-md border p-3 sm:grid-cols-[1fr_auto_auto] sm:items-end"
              >
                <Field
                  label={`Group ${at + 1}`}
                  name={`group_roles.${at}.group`}
                  required
                  maxLength={255}
                  defaultValue={group}
                />
                <RoleChoice label={`Role of group ${at + 1}`} name={`group_roles.${at}.role`} value={own} />
                <Button
                  look="quiet"
                  className="justify-self-start"
                  onClick={() => {
                    setRows(rows.filter((row) => row.key !== key));
                  }}
                >
                  Remove<span className="sr-only"> group {at + 1}</span>
                </Button>
              </div>
            ))}
            <Button
              className="justify-self-start"
              onClick={() => {
                setRows([...rows, { key: nextKey, group: '', role: 'member' }]);
                setNextKey(nextKey + 1);
              }}
            >
              Add a group
            </Button>
          </fieldset>
        </Form>
      </div>
    </Section>
  );
}

interface RoleChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value: GivenRole;
}

function RoleChoice({ label, name, value }: RoleChoiceProps): ReactNode {
  return (
    <Choice label={label} name={name} defaultValue={value}>
      {ROLES.map(([role, words]) => (
        <option key={role} value={role}>
          {words}
        </option>
      ))}
    </Choice>
  );
}
