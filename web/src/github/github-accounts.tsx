import type { Github } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api';
import { useMay } from '../data/me';
import { githubQuery } from '../data/repositories';
import { Button, ButtonLink } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { Loaded } from '../ui/loaded';
import { State } from '../ui/state';

const ASK_AGAIN_MS = 3_000;

interface GithubAccountsProps {
  readonly org: string;
}

/** The connected accounts, whose private repositories can be deployed, and the way to connect one more. */
export function GithubAccounts({ org }: GithubAccountsProps): ReactNode {
  const github = useQuery(githubQuery(org));
  return (
    <section aria-label="GitHub accounts" className="bg-sunken grid gap-3 rounded-md p-3">
      <Loaded query={github} lines={1}>
        {(found) =>
          found.configured ? (
            <>
              <Accounts installations={found.installations} />
              <Connect org={org} />
            </>
          ) : (
            <p>
              The operator has not set up GitHub here. A public repository can be deployed by its address all the same;
              pushes to it do not deploy by themselves.
            </p>
          )
        }
      </Loaded>
    </section>
  );
}

function Accounts({ installations }: Pick<Github, 'installations'>): ReactNode {
  if (installations.length === 0) return <p>No account is connected yet. Public repositories work without one.</p>;
  return (
    <ul className="grid gap-1">
      {installations.map(({ id, account, suspended_at: suspended }) => (
        <li key={id} className="flex items-center gap-2">
          <span className="truncate font-medium">{account}</span>
          {suspended === undefined ? (
            <State tone="good">Connected</State>
          ) : (
            <State tone="warn">Suspended at GitHub</State>
          )}
        </li>
      ))}
    </ul>
  );
}

/** GitHub opens in a tab of its own, so that nothing typed here is lost. Meanwhile this one asks whether it is done. */
function Connect({ org }: GithubAccountsProps): ReactNode {
  const mayConnect = useMay(org, 'orgs:write');
  const begin = useMutation({ mutationFn: () => api.github.begin({ organization: org }) });
  useQuery({ ...githubQuery(org), refetchInterval: begin.data === undefined ? false : ASK_AGAIN_MS });
  if (!mayConnect) return <p className="text-muted">Owners and admins can connect accounts.</p>;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {begin.data === undefined ? (
        <Button
          busy={begin.isPending}
          onClick={() => {
            begin.mutate();
          }}
        >
          Connect an account
        </Button>
      ) : (
        <>
          <ButtonLink href={begin.data.install_url} look="primary">
            Install the app at GitHub
          </ButtonLink>
          <ButtonLink href={begin.data.authorize_url}>The account has it already</ButtonLink>
        </>
      )}
      {begin.error !== null && <ErrorNote error={begin.error} />}
    </div>
  );
}
