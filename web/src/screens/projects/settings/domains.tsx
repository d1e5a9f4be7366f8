import type { Domain, DomainChange } from '@service/client';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../../api';
import { useMay } from '../../../data/me';
import { rowsOf } from '../../../data/paged';
import { domainsQuery } from '../../../data/project-settings';
import { Button } from '../../../ui/button';
import { Confirm } from '../../../ui/confirm';
import { Copy } from '../../../ui/copy';
import { Empty } from '../../../ui/empty';
import { ErrorNote } from '../../../ui/error-note';
import { Field, Form } from '../../../ui/form';
import { Loaded } from '../../../ui/loaded';
import { More } from '../../../ui/more';
import { Section } from '../../../ui/page';
import { State } from '../../../ui/state';
import { Table } from '../../../ui/table';
import { Ago } from '../../../ui/time';
import type { ProjectParams } from '../project-frame';
import { SettingsFrame } from './settings-frame';

const STATES = {
  pending: ['warn', 'Not proved yet'],
  verified: ['warn', 'Proved, not routed yet'],
  active: ['good', 'Active'],
  misconfigured: ['bad', 'Misconfigured'],
} as const;

const RECORD_STATES = {
  unchecked: ['quiet', 'Unchecked'],
  found: ['good', 'Found'],
  missing: ['warn', 'Missing'],
  other: ['bad', 'Another value'],
  unknown: ['quiet', 'Unknown'],
} as const;

export function prepare({ project }: ProjectParams): void {
  queries.infiniteQuery(domainsQuery(project)).catch(ignore);
}

export function Screen({ org, project }: ProjectParams): ReactNode {
  const domains = useInfiniteQuery(domainsQuery(project));
  const mayChange = useMay(org, 'projects:write');
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: domainsQuery(project).queryKey });
  return (
    <SettingsFrame org={org} project={project} open="projectDomains">
      <Section title="Domains" hint="Names of your own that lead to production.">
        {mayChange && (
          <div className="card mb-4 max-w-lg p-4">
            <Form
              label="Add a domain"
              submit="Add the domain"
              onSubmit={async ({ name = '', ...boxes }) => {
                await api.domains.create(project, { name, www_redirect: 'www_redirect' in boxes });
                await refresh();
              }}
            >
              <Field label="Domain" name="name" required placeholder="shop.example.com" />
              <label className="flex min-h-6 items-center gap-2">
                <input type="checkbox" name="www_redirect" />
                Send visitors of www. before it there too
              </label>
            </Form>
          </div>
        )}
        <Loaded query={domains}>
          {(data) => {
            const all = rowsOf(data);
            if (all.length === 0)
              return (
                <Empty icon="out" title="No domains yet">
                  The project answers at the address of its deploys. A domain shows which records to set, and is served
                  once they are found.
                </Empty>
              );
            return (
              <ul className="grid gap-4">
                {all.map((domain) => (
                  <DomainCard
                    key={domain.id}
                    project={project}
                    domain={domain}
                    others={all.filter(({ id, redirect_to: to }) => id !== domain.id && to === undefined)}
                    mayChange={mayChange}
                    refresh={refresh}
                  />
                ))}
              </ul>
            );
          }}
        </Loaded>
        <More query={domains} />
      </Section>
    </SettingsFrame>
  );
}

interface DomainCardProps {
  readonly project: string;
  readonly domain: Domain;
  /** Domains that it can be a redirect to. */
  readonly others: readonly Domain[];
  readonly mayChange: boolean;
  readonly refresh: () => Promise<void>;
}

function DomainCard({ project, domain, others, mayChange, refresh }: DomainCardProps): ReactNode {
  const { id, unicode_name: name, state, problem, records, checked_at: checked, served_until: until } = domain;
  const [removing, setRemoving] = useState(false);
  const verify = useMutation({ mutationFn: () => api.domains.verify(project, id), onSuccess: refresh });
  const change = useMutation({
    mutationFn: (news: DomainChange) => api.domains.update(project, id, news),
    onSuccess: refresh,
  });
  const error = verify.error ?? change.error;
  const [tone, word] = STATES[state];
  return (
    <li className="card grid gap-3 p-4" aria-label={name}>
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="min-w-0 font-semibold break-words">{name}</h3>
        <State tone={tone}>{word}</State>
        {mayChange && (
          <span className="ml-auto flex gap-1">
            <Button
              busy={verify.isPending}
              onClick={() => {
                verify.mutate();
              }}
            >
              Check now<span className="sr-only"> {name}</span>
            </Button>
            <Button
              look="quiet"
              onClick={() => {
                setRemoving(true);
              }}
            >
              Remove<span className="sr-only"> {name}</span>
            </Button>
          </span>
        )}
      </div>
      {problem !== undefined && (
        <p className="text-warn break-words">
          {problem.message}
          {until !== undefined && (
            <>
              {' '}
              It is served until <time dateTime={until}>{new Date(until).toLocaleString('en')}</time>.
            </>
          )}
        </p>
      )}
      {error !== null && <ErrorNote error={error} />}
      <Records domain={domain} />
      <p className="text-muted text-sm">
        {checked === undefined ? (
          'Not checked yet.'
        ) : (
          <>
            Checked <Ago at={checked} />.
          </>
        )}{' '}
        {state === 'active'
          ? 'Its certificate is made at the first visit over https, and renewed by itself.'
          : `${records.length === 1 ? 'The record is' : 'The records are'} checked again by itself. A certificate follows when the domain is active.`}
      </p>
      {mayChange && (
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <label className="flex items-center gap-2">
            <span className="text-muted">Visitors see</span>
            <select
              className="input !w-auto max-w-60"
              value={domain.redirect_to ?? ''}
              disabled={change.isPending}
              onChange={({ target }) => {
                change.mutate({ redirect_to: target.value === '' ? null : target.value });
              }}
            >
              <option value="">the project</option>
              {domain.redirect_to !== undefined && !others.some((other) => other.name === domain.redirect_to) && (
                <option value={domain.redirect_to}>a redirect to {domain.redirect_to}</option>
              )}
              {others.map((other) => (
                <option key={other.id} value={other.name}>
                  a redirect to {other.unicode_name}
                </option>
              ))}
            </select>
          </label>
          <Box
            label="Send http to https"
            checked={domain.https_redirect}
            disabled={change.isPending}
            onChange={(checked) => {
              change.mutate({ https_redirect: checked });
            }}
          />
          <Box
            label="Only https for a year (HSTS)"
            checked={domain.hsts}
            disabled={change.isPending}
            onChange={(checked) => {
              change.mutate({ hsts: checked });
            }}
          />
        </div>
      )}
      <Confirm
        open={removing}
        title={`Remove ${name}?`}
        action="Remove the domain"
        danger
        onClose={() => {
          setRemoving(false);
        }}
        onConfirm={async () => {
          await api.domains.delete(project, id);
          await refresh();
        }}
      >
        It is no longer served at once. Remove its records at your DNS provider too.
      </Confirm>
    </li>
  );
}

interface BoxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Box({ label, checked, disabled, onChange }: BoxProps): ReactNode {
  return (
    <label className="flex min-h-6 items-center gap-2">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => {
          onChange(target.checked);
        }}
      />
      {label}
    </label>
  );
}

function Records({ domain }: { readonly domain: Domain }): ReactNode {
  return (
    <Table
      label={`Records of ${domain.unicode_name}`}
      rows={domain.records}
      keyOf={({ type, name, value }) => `${type} ${name} ${value}`}
      columns={[
        { title: 'Type', cell: ({ type }) => <span className="font-mono text-xs">{type}</span> },
        { title: 'Name', cell: ({ name }) => <Value text={name} label="Copy the name" /> },
        { title: 'Value', cell: ({ value }) => <Value text={value} label="Copy the value" /> },
        {
          title: 'Last check',
          cell: ({ status, seen }) => (
            <span title={seen.join('\n')}>
              <State tone={RECORD_STATES[status][0]}>{RECORD_STATES[status][1]}</State>
            </span>
          ),
        },
      ]}
    />
  );
}

function Value({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <span className="flex items-center gap-1">
      <code className="max-w-32 truncate font-mono text-xs lg:max-w-44" title={text}>
        {text}
      </code>
      <Copy text={text} label={`${label} ${text}`} />
    </span>
  );
}
