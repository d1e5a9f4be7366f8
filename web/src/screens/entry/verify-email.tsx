import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { api, queries } from '../../api';
import { meQuery } from '../../data/me';
import { PATHS } from '../../paths';
import { Button, ButtonLink } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Skeleton } from '../../ui/skeleton';
import { Frame } from './frame';
import { useLinkToken } from './token';

/** Uses the token of the link in the mail. Without one, it sends such a mail. */
export function Screen(): ReactNode {
  const token = useLinkToken();
  return token === undefined ? <AskForMail /> : <Verify token={token} />;
}

function Verify({ token }: { readonly token: string }): ReactNode {
  const verify = useMutation({
    mutationFn: () => api.auth.verifyEmail(token),
    onSuccess: () => queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  });
  const { mutate } = verify;
  // The request is safe to repeat: the token counts once, and a development build of React asks twice.
  useEffect(() => {
    mutate();
  }, [mutate]);
  return (
    <Frame title={verify.isSuccess ? 'Your address is verified' : 'Verifying your address'}>
      {verify.isSuccess ? (
        <ButtonLink href={PATHS.home} look="primary" wide>
          Continue
        </ButtonLink>
      ) : verify.isError ? (
        <ErrorNote
          error={verify.error}
          onRetry={() => {
            mutate();
          }}
        />
      ) : (
        <Skeleton lines={1} />
      )}
    </Frame>
  );
}

function AskForMail(): ReactNode {
  const me = useQuery(meQuery);
  const resend = useMutation({ mutationFn: () => api.auth.resendVerification() });
  if (me.data === undefined)
    return (
      <Frame title="Verify your address" lead="Open the link in the mail that you got, or sign in to get another.">
        <ButtonLink href={PATHS.signIn} look="primary" wide>
          Sign in
        </ButtonLink>
      </Frame>
    );
  return (
    <Frame title="Verify your address">
      <div className="grid gap-4">
        <p>
          The link goes to <b className="break-all">{me.data.user.email}</b>.
        </p>
        {resend.isError && <ErrorNote error={resend.error} />}
        {resend.isSuccess ? (
          <p role="status">It is sent.</p>
        ) : (
          <Button
            look="primary"
            wide
            busy={resend.isPending}
            onClick={() => {
              resend.mutate();
            }}
          >
            Send the link again
          </Button>
        )}
        <ButtonLink href={PATHS.home} wide>
          Go to your projects
        </ButtonLink>
      </div>
    </Frame>
  );
}
