import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api';
import { completeSignIn, type SecondStep as Step } from '../data/session';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { Form } from '../ui/form';
import { Ago } from '../ui/time';
import { CodeField } from './code-field';
import { PasskeyButton } from './passkey-button';

interface SecondStepProps {
  readonly step: Step;
  readonly onSignedIn: () => void;
}

/** Asks for a second factor after the password. */
export function SecondStep({ step, onSignedIn }: SecondStepProps): ReactNode {
  const { token, methods } = step;
  return (
    <div className="grid gap-4">
      {methods.some((method) => method !== 'passkey') && (
        <Form
          label="Second factor"
          submit="Sign in"
          wide
          onSubmit={async ({ code = '' }) => {
            await completeSignIn({ token, code });
            onSignedIn();
          }}
        >
          <CodeField />
        </Form>
      )}
      {methods.includes('passkey') && (
        <PasskeyButton
          onShown={async (passkey) => {
            await completeSignIn({ token, passkey });
            onSignedIn();
          }}
        />
      )}
      <Lost token={token} />
    </div>
  );
}

function Lost({ token }: { readonly token: string }): ReactNode {
  const recover = useMutation({ mutationFn: () => api.auth.recoverFactors(token) });
  if (recover.isSuccess)
    return (
      <p role="status">
        Your second factors are removed <Ago at={recover.data.due_at} />. Then sign in with your password. Signing in
        with a factor stops it.
      </p>
    );
  return (
    <details className="text-sm">
      <summary className="link min-h-6">Lost all of them?</summary>
      <div className="mt-2 grid gap-3">
        <p className="text-muted">
          They can be removed after 48 hours. We send messages to your address, so that nobody else can do it unseen.
        </p>
        {recover.isError && <ErrorNote error={recover.error} />}
        <Button
          busy={recover.isPending}
          onClick={() => {
            recover.mutate();
          }}
        >
          Remove them after 48 hours
        </Button>
      </div>
    </details>
  );
}
