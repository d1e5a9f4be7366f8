import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { completeFlow, type PendingFlow, PROVIDERS, takePending } from '../../identities/providers';
import type { SecondStep as Step } from '../../data/session';
import { SecondStep } from '../../factors/second-step';
import { PATHS } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Skeleton } from '../../ui/skeleton';
import { Frame } from './frame';

interface Arrival {
  readonly pending: PendingFlow | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
}

/** A provider leads back here. What it returned leaves the address at once. */
export function Screen(): ReactNode {
  const [{ pending, code, error }] = useState(takeArrival);
  if (pending !== undefined && code !== undefined) return <Complete pending={pending} code={code} />;
  const provider = pending === undefined ? 'The provider' : PROVIDERS[pending.method];
  return (
    <Frame title="You are not signed in" lead={wordsOf(error, provider)}>
      <BackLink pending={pending} />
    </Frame>
  );
}

function Complete({ pending, code }: { readonly pending: PendingFlow; readonly code: string }): ReactNode {
  const [, go] = useLocation();
  const [step, setStep] = useState<Step>();
  const goOn = (): void => {
    go(pending.next, { replace: true });
  };
  const complete = useMutation({
    mutationFn: () => completeFlow(pending, code),
    onSuccess: (next) => {
      if (next === undefined) goOn();
      else setStep(next);
    },
  });
  const { mutate } = complete;
  const isAsked = useRef(false);
  // The code counts once, and a development build of React asks twice.
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    mutate();
  }, [mutate]);
  const provider = PROVIDERS[pending.method];
  if (step !== undefined)
    return (
      <Frame title="Second factor" lead={`${provider} knows you. Show a second factor to sign in.`}>
        <SecondStep step={step} onSignedIn={goOn} />
      </Frame>
    );
  return (
    <Frame title={pending.connects ? `Connecting ${provider}` : `Signing in with ${provider}`}>
      {complete.isError ? (
        <div className="grid gap-4">
          <ErrorNote error={complete.error} />
          <BackLink pending={pending} />
        </div>
      ) : (
        <Skeleton lines={1} />
      )}
    </Frame>
  );
}

function BackLink({ pending }: { readonly pending: PendingFlow | undefined }): ReactNode {
  if (pending?.connects === true)
    return (
      <ButtonLink href={PATHS.security} look="primary" wide>
        Go to your security settings
      </ButtonLink>
    );
  const next = pending === undefined || pending.next === PATHS.home ? '' : `?next=${encodeURIComponent(pending.next)}`;
  return (
    <ButtonLink href={PATHS.signIn + next} look="primary" wide>
      Go to the sign-in
    </ButtonLink>
  );
}

function takeArrival(): Arrival {
  const found = new URLSearchParams(location.search);
  const arrival = {
    pending: takePending(),
    code: found.get('code') ?? undefined,
    error: found.get('error') ?? undefined,
  };
  history.replaceState(history.state, '', location.pathname);
  return arrival;
}

const WORDS: Readonly<Record<string, (provider: string) => string>> = {
  access_denied: (provider) => `You have not allowed it at ${provider}.`,
  provider_unavailable: (provider) => `${provider} did not respond. Try again in a moment.`,
  provider_refused: (provider) => `${provider} did not say who you are. Try again.`,
};

const wordsOf = (error: string | undefined, provider: string): string =>
  (error !== undefined && Object.hasOwn(WORDS, error) ? WORDS[error] : undefined)?.(provider) ??
  'This sign-in is over, or began in another tab. Begin again.';
