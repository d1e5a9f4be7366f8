import type { WaitingFlow } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, Redirect, useSearch } from 'wouter';
import { api, isSignedOut } from '../../api';
import { meQuery } from '../../data/me';
import { signOut } from '../../data/session';
import { PATHS } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Fact } from '../../ui/fact';
import { Loaded } from '../../ui/loaded';
import { Ago } from '../../ui/time';
import { Frame } from './frame';

/** A program leads here that wants to sign in. The address stays while one signs in first, and comes back. */
export function Screen(): ReactNode {
  const search = useSearch();
  const [given] = useState(() => new URLSearchParams(search));
  const id = given.get('flow') ?? '';
  const me = useQuery(meQuery);
  if (id === '') return <Over />;
  const signIn = new URLSearchParams({ next: `${PATHS.approveSignIn}?flow=${encodeURIComponent(id)}` });
  if (isSignedOut(me.error)) {
    const hint = given.get('hint');
    if (hint !== null) signIn.set('hint', hint);
    return <Redirect to={`${PATHS.signIn}?${signIn.toString()}`} replace />;
  }
  if (me.data === undefined)
    return (
      <Frame title="Let a program sign in?">
        <Loaded query={me}>{() => null}</Loaded>
      </Frame>
    );
  return <Question id={id} username={me.data.user.username} signIn={`${PATHS.signIn}?${signIn.toString()}`} />;
}

interface QuestionProps {
  readonly id: string;
  readonly username: string;
  readonly signIn: string;
}

function Question({ id, username, signIn }: QuestionProps): ReactNode {
  const flow = useQuery({
    queryKey: ['waiting-flow', id],
    queryFn: ({ signal }): Promise<WaitingFlow> => api.auth.waitingFlow(id, { signal }),
    // It does not change, and once decided on it is gone.
    staleTime: Infinity,
  });
  const decide = useMutation({
    mutationFn: (what: 'approve' | 'deny') => (what === 'approve' ? api.auth.approveFlow(id) : api.auth.denyFlow(id)),
    onSuccess: ({ redirect_to: place }) => {
      location.assign(place);
    },
  });
  if (flow.isError && 'code' in flow.error && flow.error.code === 'invalid_flow') return <Over />;
  if (decide.isSuccess)
    return (
      <Frame title={decide.variables === 'approve' ? 'Approved' : 'Denied'}>
        <p role="status">You are led back to the program. If nothing happens, run its command again.</p>
      </Frame>
    );
  return (
    <Frame
      title="Let a program sign in?"
      lead="Approve it only if you began this yourself just now."
      below={
        <Link
          href={signIn}
          className="link"
          onClick={() => {
            void signOut();
          }}
        >
          Use another account
        </Link>
      }
    >
      <Loaded query={flow} lines={4}>
        {({ client_name: name, return_to: place, created_at: at }) => (
          <div className="grid gap-4">
            <dl className="grid gap-3">
              <Fact name="Program">
                <bdi className="font-medium break-all">{name}</bdi>
              </Fact>
              <Fact name="Listens on this machine at">
                <code className="font-mono text-sm break-all">{new URL(place).host}</code>
              </Fact>
              <Fact name="Began">
                <Ago at={at} />
              </Fact>
            </dl>
            <p>
              It signs in as <b className="break-all">{username}</b>, and can then do all that you can.
            </p>
            {decide.isError && <ErrorNote error={decide.error} />}
            <div className="grid grid-cols-2 gap-3">
              <Button
                wide
                className="h-9"
                disabled={decide.isPending}
                onClick={() => {
                  decide.mutate('deny');
                }}
              >
                Deny
              </Button>
              <Button
                wide
                look="primary"
                className="h-9"
                busy={decide.isPending}
                onClick={() => {
                  decide.mutate('approve');
                }}
              >
                Approve
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Frame>
  );
}

function Over(): ReactNode {
  return (
    <Frame
      title="This sign-in is over"
      lead="It was decided on already, took more than ten minutes, or is unknown. Run the command of the program again."
    >
      <ButtonLink href={PATHS.home} wide>
        Go to your projects
      </ButtonLink>
    </Frame>
  );
}
