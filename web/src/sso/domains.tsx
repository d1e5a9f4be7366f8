import type { OrgDomain } from '@service/client';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import { rowsOf } from '../data/paged';
import { orgDomainsQuery, refreshSso } from '../data/sso';
import { Button } from '../ui/button';
import { Confirm } from '../ui/confirm';
import { Empty } from '../ui/empty';
import { ErrorNote } from '../ui/error-note';
import { Field, Form } from '../ui/form';
import { Loaded } from '../ui/loaded';
import { More } from '../ui/more';
import { Section } from '../ui/page';
import { State } from '../ui/state';
import { Ago } from '../ui/time';
import { Values } from './values';

interface DomainsProps {
  readonly org: string;
  /** False where the plan includes no SSO: what there is can only be removed. */
  readonly mayAdd: boolean;
}

/** The domains whose addresses the connections of an organization speak for. */
export function Domains({ org, mayAdd }: DomainsProps): ReactNode {
  const domains = useInfiniteQuery(orgDomainsQuery(org));
  if (!mayAdd && rowsOf(domains.data).length === 0) return null;
  return (
    <Section
      title="Domains"
      hint="A connection signs in only people whose email address is in a domain that you have verified."
    >
      {mayAdd && (
        <div className="card mb-4 max-w-lg p-4">
          <Form
            label="Add an email domain"
            submit="Add the domain"
            onSubmit={async ({ name = '' }) => {
              await api.sso.domains.create(org, name);
              await refreshSso(org);
            }}
          >
            <Field
              label="Domain"
              name="name"
              required
              placeholder="acme.com"
              hint="What stands after the @. Each subdomain is a domain of its own."
            />
          </Form>
        </div>
      )}
      <Loaded query={domains}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="out" title="No domains yet">
              Add the domain of your email addresses, then set the record that it shows at your DNS provider.
            </Empty>
          ) : (
            <ul className="grid gap-4">
              {rowsOf(data).map((domain) => (
                <DomainCard key={domain.id} org={org} domain={domain} mayVerify={mayAdd} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More query={domains} />
    </Section>
  );
}

const STATES = {
  pending: ['quiet', 'Not verified'],
  verified: ['good', 'Verified'],
  paused: ['bad', 'Paused'],
} as const;

const PROBLEMS: Readonly<Record<NonNullable<OrgDomain['last_problem']>, string>> = {
  challenge_missing: 'The record was not found. A new record can take an hour to be seen everywhere.',
  resolver_unavailable: 'The name servers of the domain did not answer. Check again in a moment.',
  taken_over: 'Another organization verified the domain while it was paused here.',
};

interface DomainCardProps {
  readonly org: string;
  readonly domain: OrgDomain;
  readonly mayVerify: boolean;
}

function DomainCard({ org, domain, mayVerify }: DomainCardProps): ReactNode {
  const { id, status, record, checked_at: checked, last_problem: problem } = domain;
  const name = domain.unicode_name ?? domain.name;
  const [removing, setRemoving] = useState(false);
  const verify = useMutation({
    mutationFn: () => api.sso.domains.verify(org, id),
    onSuccess: () => refreshSso(org),
  });
  const [tone, word] = STATES[status];
  return (
    <li className="card grid gap-3 p-4" aria-label={name}>
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="min-w-0 font-semibold break-words">{name}</h3>
        <State tone={tone}>{word}</State>
        <span className="ml-auto flex gap-1">
          {mayVerify && (
            <Button
              look={status === 'verified' ? 'plain' : 'primary'}
              busy={verify.isPending}
              onClick={() => {
                verify.mutate();
              }}
            >
              {status === 'verified' ? 'Check now' : 'Verify'}
              <span className="sr-only"> {name}</span>
            </Button>
          )}
          <Button
            look="quiet"
            onClick={() => {
              setRemoving(true);
            }}
          >
            Remove<span className="sr-only"> {name}</span>
          </Button>
        </span>
      </div>
      {problem !== undefined && (
        <p role="status" className="text-warn break-words">
          {PROBLEMS[problem]}
        </p>
      )}
      {verify.isError && <ErrorNote error={verify.error} />}
      <details open={status !== 'verified'}>
        <summary className="link min-h-6 text-sm">
          {status === 'verified' ? 'The record to keep' : 'The record to set'}
        </summary>
        <div className="mt-2">
          <Values
            values={[
              ['Type', record.type],
              ['Name', record.name],
              ['Value', record.value],
            ]}
          />
        </div>
      </details>
      <p className="text-muted text-sm">
        {checked === undefined ? (
          'Not checked yet.'
        ) : (
          <>
            Checked <Ago at={checked} />.
          </>
        )}{' '}
        {status === 'verified' && 'It is checked again each week. If it is missing twice, the domain is paused.'}
      </p>
      <Confirm
        open={removing}
        title={`Remove ${name}?`}
        action="Remove the domain"
        danger
        onClose={() => {
          setRemoving(false);
        }}
        onConfirm={async () => {
          await api.sso.domains.delete(org, id);
          await refreshSso(org);
        }}
      >
        People with addresses in it no longer come in for the first time. Another organization can verify it then.
      </Confirm>
    </li>
  );
}
