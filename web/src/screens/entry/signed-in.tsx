import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { completeFlow, type PendingFlow, PROVIDERS, SIGN_IN, useArrival } from '../../identities/flows';
import { inPlainWords } from '../../identities/sso-words';
import type { SecondStep as Step } from '../../data/session';
import { SecondStep } from '../../factors/second-step';
import { PATHS } from '../../paths';
import { ButtonLink } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Skeleton } from '../../ui/skeleton';
import { Frame } from './frame';

/** A provider leads back here. What it returned leaves the address at once. */
export function Screen(): ReactNode {
  const { pending: kept, code, error } = useArrival(SIGN_IN);
  const pending = kept as PendingFlow | undefined;
  if (pending !== undefined && code !== undefined) return <Complete pending={pending} code={code} />;
  return (
    <Frame title="You are not signed in" lead={wordsOf(error, nameOf(pending))}>
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
  const provider = nameOf(pending);
  if (step !== undefined)
    return (
      <Frame title="Second factor" lead={`${capital(provider)} knows you. Show a second factor to sign in.`}>
        <SecondStep step={step} onSignedIn={goOn} />
      </Frame>
    );
  return (
    <Frame title={`${pending.connects ? 'Connecting' : 'Signing in with'} ${PROVIDERS[pending.method]}`}>
      {complete.isError ? (
        <div className="grid gap-4">
          <ErrorNote error={pending.method === 'sso' ? inPlainWords(complete.error) : complete.error} />
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

/** The name within a sentence. */
const nameOf = (pending: PendingFlow | undefined): string =>
  pending === undefined
    ? 'the provider'
    : pending.method === 'sso'
      ? 'your identity provider'
      : PROVIDERS[pending.method];

const capital = (words: string): string => words[0]!.toUpperCase() + words.slice(1);

const WORDS: Readonly<Record<string, (provider: string) => string>> = {
  access_denied: (provider) => `You have not allowed it at ${provider}.`,
  provider_unavailable: (provider) => `${capital(provider)} did not respond. Try again in a moment.`,
  provider_refused: (provider) => `${capital(provider)} did not say who you are. Try again.`,
};

const wordsOf = (error: string | undefined, provider: string): string =>
  (error !== undefined && Object.hasOwn(WORDS, error) ? WORDS[error] : undefined)?.(provider) ??
  'This sign-in is over, or began in another tab. Begin again.';
