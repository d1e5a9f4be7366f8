import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, isSignedOut, queries } from '../../api';
import { meQuery } from '../../data/me';
import { signOut } from '../../data/session';
import { PATHS, pathTo } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { Frame } from './frame';

/** The token stays in the address, so that signing in first and coming back keeps it. */
export function Screen(): ReactNode {
  const [, go] = useLocation();
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  const me = useQuery(meQuery);
  if (token === null)
    return (
      <Frame
        title="Accept an invitation"
        lead="Open the link in the mail that invites you. It has the invitation in it."
      >
        <ButtonLink href={PATHS.home} wide>
          Go to your projects
        </ButtonLink>
      </Frame>
    );
  const back = `next=${encodeURIComponent(PATHS.acceptInvitation + location.hash)}`;
  if (isSignedOut(me.error))
    return (
      <Frame title="You are invited" lead="Sign in, or create an account with the address that was invited.">
        <div className="grid gap-2">
          <ButtonLink href={`${PATHS.signUp}?${back}`} look="primary" wide>
            Create an account
          </ButtonLink>
          <ButtonLink href={`${PATHS.signIn}?${back}`} wide>
            Sign in
          </ButtonLink>
        </div>
      </Frame>
    );
  return (
    <Frame
      title="You are invited"
      below={
        <Link
          href={`${PATHS.signIn}?${back}`}
          className="link"
          onClick={() => {
            void signOut();
          }}
        >
          Use another account
        </Link>
      }
    >
      <Loaded query={me}>
        {({ user }) => (
          <Form
            label="Accept the invitation"
            submit="Accept the invitation"
            wide
            onSubmit={async () => {
              const { slug } = await api.orgs.acceptInvitation(token);
              await queries.invalidateQueries({ queryKey: meQuery.queryKey });
              go(pathTo('projects', { org: slug }), { replace: true });
            }}
          >
            <p>
              You accept as <b className="break-all">{user.username}</b> ({user.email}).
            </p>
          </Form>
        )}
      </Loaded>
    </Frame>
  );
}
