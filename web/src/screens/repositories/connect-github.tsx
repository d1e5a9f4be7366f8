import type { GithubConnection, GithubInstallation } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, isSignedOut, queries } from '../../api';
import { meQuery } from '../../data/me';
import { PATHS, pathTo } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { Frame } from '../entry/frame';

/** GitHub leads here by the page of the service. What it returned is behind the `#`, and stays there for the sign-in. */
export function Screen(): ReactNode {
  const [connection] = useState(connectionInAddress);
  const [done, setDone] = useState<GithubInstallation>();
  const me = useQuery(meQuery);
  if (connection === undefined)
    return (
      <Frame title="Connect GitHub" lead="GitHub has not said which account it is. Begin again with a new project.">
        <ButtonLink href={PATHS.home} wide>
          Go to your projects
        </ButtonLink>
      </Frame>
    );
  if (isSignedOut(me.error))
    return (
      <Frame title="Connect GitHub" lead="Sign in as the person who began this.">
        <ButtonLink
          href={`${PATHS.signIn}?next=${encodeURIComponent(PATHS.connectGithub + location.hash)}`}
          look="primary"
          wide
        >
          Sign in
        </ButtonLink>
      </Frame>
    );
  if (done !== undefined)
    return (
      <Frame title={`${done.account} is connected`} lead="Projects can use its repositories now.">
        <ButtonLink href={pathTo('newProject', { org: done.org_id })} look="primary" wide>
          New project
        </ButtonLink>
      </Frame>
    );
  return (
    <Frame title="Connect GitHub">
      <Loaded query={me}>
        {({ user }) => (
          <Form
            label="Connect the account"
            submit="Connect the account"
            wide
            onSubmit={async () => {
              setDone(await api.github.finish(connection));
              await queries.invalidateQueries({ queryKey: ['github'] });
            }}
          >
            <p>
              You are <b className="break-all">{user.username}</b>. Connect the account only if you began this yourself;
              if another person sent you here, close this page.
            </p>
          </Form>
        )}
      </Loaded>
    </Frame>
  );
}

function connectionInAddress(): GithubConnection | undefined {
  const found = new URLSearchParams(location.hash.slice(1));
  const [state, code] = [found.get('state'), found.get('code')];
  const installation = Number(found.get('installation_id'));
  if (!state || !code || !Number.isSafeInteger(installation) || installation < 1) return undefined;
  return { state, code, installation_id: installation };
}
