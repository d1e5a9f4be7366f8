import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api';
import { factorsQuery } from '../data/factors';
import { useMe } from '../data/me';
import { identitiesQuery } from '../identities/flows';
import { ProviderButtons } from '../identities/providers';
import { SsoButton } from '../identities/sso-button';
import { Field, Form } from '../ui/form';
import { Loaded } from '../ui/loaded';
import { CodeField } from './code-field';
import { PasskeyButton } from './passkey-button';

/** Lets a person show again who they are: with a second factor where there is one, else with the password. */
export function ConfirmSession({ onConfirmed }: { readonly onConfirmed: () => void }): ReactNode {
  const factors = useQuery(factorsQuery);
  const { has_password: hasPassword = true, email } = useMe()?.user ?? {};
  const identities = useQuery({ ...identitiesQuery, enabled: !hasPassword });
  const here = location.pathname + location.search;
  const confirm = async (shown: Parameters<typeof api.auth.confirmSession>[0]): Promise<void> => {
    await api.auth.confirmSession(shown);
    onConfirmed();
  };
  return (
    <div className="grid gap-4">
      <p className="text-muted">You signed in a while ago. Confirm that it is you to go on.</p>
      <Loaded query={factors} lines={2}>
        {(data) => {
          if (data.factors.length === 0 && !hasPassword)
            return (
              <div className="grid gap-4">
                <p>Your account has no password: sign in again, then repeat what you began.</p>
                <ProviderButtons words="Sign in again with" next={here} />
                {email !== undefined && identities.data?.some(({ provider }) => provider === 'sso') === true && (
                  <SsoButton wanted={{ email }} next={here} look="plain" wide>
                    Sign in again with SSO
                  </SsoButton>
                )}
              </div>
            );
          if (data.factors.length === 0)
            return (
              <Form
                label="Confirm that it is you"
                submit="Confirm"
                onSubmit={({ password = '' }) => confirm({ password })}
              >
                <Field
                  label="Password"
                  name="password"
                  type="password"
                  autoComplete="current-password"
                  required
                  autoFocus
                />
              </Form>
            );
          const hasCodes = data.recovery_codes_left > 0 || data.factors.some(({ type }) => type === 'totp');
          return (
            <div className="grid gap-4">
              {hasCodes && (
                <Form label="Confirm that it is you" submit="Confirm" onSubmit={({ code = '' }) => confirm({ code })}>
                  <CodeField />
                </Form>
              )}
              {data.factors.some(({ type }) => type === 'passkey') && (
                <PasskeyButton onShown={(passkey) => confirm({ passkey })} />
              )}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}
