import type { Grant, OrgGrant } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { grantsQuery, orgGrantsQuery } from '../../data/grants';
import { useMe, useOrganization } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { isReadOnly, wordsOf } from '../../data/scope-words';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Empty } from '../../ui/empty';
import { Fact } from '../../ui/fact';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { When } from '../../ui/time';
import { KeysFrame } from './keys-frame';

interface Params {
  readonly org: string;
}

export function prepare(): void {
  queries.infiniteQuery(grantsQuery).catch(ignore);
}

/** What the person granted to OAuth clients, and what members did within the organization, for those who manage it. */
export function Screen({ org }: Params): ReactNode {
  const organization = useOrganization(org);
  const manages =
    organization !== undefined && !organization.personal && ['owner', 'admin'].includes(organization.role);
  return (
    <KeysFrame org={org} open="connectedApps">
      <OwnApps org={org} />
      {manages && <AppsOfMembers org={org} name={organization.name} />}
    </KeysFrame>
  );
}

function OwnApps({ org }: { readonly org: string }): ReactNode {
  const grants = useInfiniteQuery(grantsQuery);
  const me = useMe();
  const [doomed, setDoomed] = useState<Grant>();
  const nameOf = (orgId: string): string => me?.organizations.find(({ id }) => id === orgId)?.name ?? orgId;
  return (
    <Section title="Your apps" hint="Apps that you gave access in the browser. They can do no more than you can.">
      <Loaded query={grants}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="linked" title="No connected apps yet" action={<ConnectLink org={org} />}>
              An assistant that speaks MCP asks you in the browser what it may do. It is listed here from then on, and
              you can end its access. <DocsLink />
            </Empty>
          ) : (
            <>
              <ul aria-label="Your apps" className="grid grid-cols-[minmax(0,1fr)] gap-3">
                {rowsOf(data).map((grant) => (
                  <App key={grant.id} grant={grant} onEnd={setDoomed}>
                    <Fact name="Organizations">
                      <span className="min-w-0 break-words">{grant.org_ids.map(nameOf).join(', ')}</span>
                    </Fact>
                  </App>
                ))}
              </ul>
              <More query={grants} />
            </>
          )
        }
      </Loaded>
      <Confirm
        open={doomed !== undefined}
        title="End the access of this app?"
        action="End its access"
        danger
        onClose={() => {
          setDoomed(undefined);
        }}
        onConfirm={async () => {
          if (doomed !== undefined) await api.grants.end(doomed.id);
          await queries.invalidateQueries({ queryKey: grantsQuery.queryKey });
        }}
      >
        <b className="text-ink">{doomed?.client_name}</b> is refused at its next call. To use it again, connect it
        again.
      </Confirm>
    </Section>
  );
}

function AppsOfMembers({ org, name }: { readonly org: string; readonly name: string }): ReactNode {
  const grants = useInfiniteQuery(orgGrantsQuery(org));
  const [doomed, setDoomed] = useState<OrgGrant>();
  return (
    <Section
      title={`Apps of members in ${name}`}
      hint="What members connected, as far as it reaches this organization."
    >
      <Loaded query={grants}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <p className="card text-muted p-4">No member has connected an app to this organization.</p>
          ) : (
            <>
              <ul aria-label="Apps of members" className="grid grid-cols-[minmax(0,1fr)] gap-3">
                {rowsOf(data).map((grant) => (
                  <App key={grant.id} grant={grant} onEnd={setDoomed}>
                    <Fact name="Member">
                      <span className="truncate">{grant.user.username}</span>
                    </Fact>
                  </App>
                ))}
              </ul>
              <More query={grants} />
            </>
          )
        }
      </Loaded>
      <Confirm
        open={doomed !== undefined}
        title="End the access of this app?"
        action="End its access"
        danger
        onClose={() => {
          setDoomed(undefined);
        }}
        onConfirm={async () => {
          if (doomed !== undefined) await api.orgs.endGrant(org, doomed.id);
          await queries.invalidateQueries({ queryKey: grantsQuery.queryKey });
        }}
      >
        <b className="text-ink">{doomed?.client_name}</b> of {doomed?.user.username} is refused in {name} at its next
        call. Other organizations that the member connected it to are not affected.
      </Confirm>
    </Section>
  );
}

interface AppProps<Shown> {
  readonly grant: Shown;
  readonly onEnd: (grant: Shown) => void;
  /** Whose it is, or where it reaches. */
  readonly children: ReactNode;
}

function App<Shown extends Grant | OrgGrant>({ grant, onEnd, children }: AppProps<Shown>): ReactNode {
  const { client_name: name, client_host: host, redirect_host: redirect, scopes } = grant;
  return (
    <li className="card p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="min-w-0 font-medium break-words">{name}</h3>
          {isReadOnly(scopes) ? <State tone="good">Read only</State> : <State tone="warn">Reads and changes</State>}
        </div>
        <Button
          look="quiet"
          onClick={() => {
            onEnd(grant);
          }}
        >
          End access<span className="sr-only"> of {name}</span>
        </Button>
      </div>
      <dl className="mt-3 grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Fact name={host === undefined ? 'Leads to (it described itself)' : 'Comes from'}>
          <code className="truncate font-mono text-xs">{host ?? redirect}</code>
        </Fact>
        {children}
        <Fact name="Connected">
          <When at={grant.created_at} />
        </Fact>
        <Fact name="Last used">
          <When at={grant.last_used_at ?? null} />
        </Fact>
        <div className="min-w-0 sm:col-span-2 lg:col-span-4">
          <dt className="text-muted text-xs">May</dt>
          {wordsOf(scopes).map((words) => (
            <dd key={words} className="mt-0.5 break-words">
              {words}
            </dd>
          ))}
        </div>
      </dl>
    </li>
  );
}

const ConnectLink = ({ org }: { readonly org: string }): ReactNode => (
  <ScreenLink to="mcp" params={{ org }} className="link">
    Connect an assistant
  </ScreenLink>
);

const DocsLink = (): ReactNode => (
  <a className="link" href="/docs/mcp#connected-apps">
    About connected apps
  </a>
);
