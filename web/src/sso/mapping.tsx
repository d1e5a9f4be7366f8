import type { SsoConnection } from '@service/client';
import type { ReactNode } from 'react';
import { api } from '../api';
import { refreshSso } from '../data/sso';
import { Field, Form } from '../ui/form';
import { Section } from '../ui/page';

const MAPPED = [
  ['subject', 'Identifier', 'What never changes for a person.'],
  ['email', 'Email', undefined],
  ['name', 'Name', undefined],
  ['groups', 'Groups', undefined],
] as const;

interface MappingProps {
  readonly org: string;
  readonly connection: SsoConnection;
}

/** Which claims or attributes mean what. */
export function Mapping({ org, connection }: MappingProps): ReactNode {
  const { id, type, mapping } = connection;
  const word = type === 'oidc' ? 'claim' : 'attribute';
  return (
    <Section title="Mapping" hint={`The names of ${word}s at the provider. Empty ones are found by their usual names.`}>
      <div className="card max-w-lg p-4">
        <Form
          label="Mapping"
          submit="Save the mapping"
          onSubmit={async (values) => {
            const named = MAPPED.map(([key]) => [key, (values[`mapping.${key}`] ?? '').trim()] as const);
            await api.sso.connections.update(org, id, {
              mapping: Object.fromEntries(named.filter(([, value]) => value !== '')),
            });
            await refreshSso(org);
          }}
        >
          {MAPPED.map(([key, label, hint]) => (
            <Field
              key={key}
              label={label}
              name={`mapping.${key}`}
              maxLength={200}
              defaultValue={mapping[key]}
              placeholder={key === 'subject' ? (type === 'oidc' ? 'sub' : 'NameID') : key}
              {...(hint !== undefined && { hint })}
            />
          ))}
          <p className="text-muted text-sm">
            With another identifier or email, the connection is a draft until it is tested again.
          </p>
        </Form>
      </div>
    </Section>
  );
}
