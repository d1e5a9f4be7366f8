import { type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { type SecondStep as Step, signIn, signInWithPasskey } from '../../data/session';
import { PasskeyButton } from '../../factors/passkey-button';
import { hasPasskeys } from '../../factors/passkey';
import { SecondStep } from '../../factors/second-step';
import { canUseProviders } from '../../identities/flows';
import { ProviderButtons } from '../../identities/providers';
import { PATHS } from '../../paths';
import { nextPath } from '../../shell/next-path';
import { ButtonLink } from '../../ui/button';
import { Field, Form } from '../../ui/form';
import { Frame } from './frame';

export function Screen(): ReactNode {
  const [, go] = useLocation();
  const search = useSearch();
  const [step, setStep] = useState<Step>();
  const isPasskeyFirst = hasPasskeys() && new URLSearchParams(search).get('hint') === 'passkey';
  const goOn = (): void => {
    go(nextPath(search), { replace: true });
  };
  const passkey = (
    <PasskeyButton
      first={isPasskeyFirst}
      onShown={async (shown) => {
        await signInWithPasskey(shown);
        goOn();
      }}
    />
  );
  if (step !== undefined)
    return (
      <Frame title="Second factor" lead="Your password is right. Show a second factor to sign in.">
        <SecondStep step={step} onSignedIn={goOn} />
      </Frame>
    );
  return (
    <Frame
      title="Sign in"
      below={
        <>
          No account yet?{' '}
          <Link href={search === '' ? PATHS.signUp : `${PATHS.signUp}?${search}`} className="link">
            Sign up
          </Link>
        </>
      }
    >
      <div className="grid gap-4">
        {isPasskeyFirst && passkey}
        <Form
          label="Sign in"
          submit="Sign in"
          look={isPasskeyFirst ? 'plain' : 'primary'}
          wide
          onSubmit={async ({ login = '', password = '' }) => {
            const next = await signIn(login, password);
            if (next === undefined) goOn();
            else setStep(next);
          }}
        >
          <Field label="Username or email" name="login" autoComplete="username" required autoFocus={!isPasskeyFirst} />
          <Field label="Password" name="password" type="password" autoComplete="current-password" required />
          <p className="-mt-2 text-right text-sm">
            <Link href={PATHS.resetPassword} className="link">
              Forgot your password?
            </Link>
          </p>
        </Form>
        {!isPasskeyFirst && passkey}
        <ProviderButtons words="Sign in with" next={nextPath(search)} />
        {canUseProviders() && (
          <ButtonLink href={search === '' ? PATHS.signInSso : `${PATHS.signInSso}?${search}`} wide className="h-9">
            Sign in with SSO
          </ButtonLink>
        )}
      </div>
    </Frame>
  );
}
