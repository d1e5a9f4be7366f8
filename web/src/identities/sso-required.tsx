import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PATHS } from '../paths';
import { Button, ButtonLink } from '../ui/button';
import { Empty } from '../ui/empty';
import { ErrorNote } from '../ui/error-note';
import { Page } from '../ui/page';
import { connectSso } from './flows';
import { SsoButton } from './sso-button';
import { inPlainWords } from './sso-words';

/** What stands in place of an organization that the session does not open: the way in, and back to here. */
export function SsoRequired({ org }: { readonly org: string }): ReactNode {
  const here = location.pathname + location.search;
  const connect = useMutation({ mutationFn: () => connectSso(org, here) });
  return (
    <Page title="This organization requires SSO">
      <Empty
        icon="keys"
        title="Sign in to go on"
        action={
          <>
            <SsoButton wanted={{ org }} next={here}>
              Sign in with SSO
            </SsoButton>
            <ButtonLink href={PATHS.home}>Your other organizations</ButtonLink>
          </>
        }
      >
        <p>
          <b className="text-ink break-all">{org}</b> lets you in when you sign in at its identity provider, and asks
          for it again after a while.
        </p>
        <details className="mt-4 text-sm">
          <summary className="link min-h-6">Is your account not under your work email?</summary>
          <div className="mt-2 grid justify-items-center gap-3">
            <p>Connect it to your identity provider first. Otherwise you come in with an account of its own.</p>
            {connect.isError && <ErrorNote error={inPlainWords(connect.error)} />}
            <Button
              busy={connect.isPending}
              onClick={() => {
                connect.mutate();
              }}
            >
              Connect this account
            </Button>
          </div>
        </details>
      </Empty>
    </Page>
  );
}
