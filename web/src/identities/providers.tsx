import type { Identity, IdentityRequest, SignInMethods } from '@service/client';
import { ServiceError } from '@service/client';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, queries } from '../api';
import type { SecondStep } from '../data/session';
import { PATHS } from '../paths';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';

export type ProviderName = IdentityRequest['method'];

/** The providers as they write their names. */
export const PROVIDERS: Readonly<Record<ProviderName, string>> = {
  github: 'GitHub',
  google: 'Google',
  sso: 'SSO',
};

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }): Promise<SignInMethods> => api.auth.signInMethods({ signal }),
  staleTime: 600_000,
});

export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: ({ signal }): Promise<readonly Identity[]> => api.auth.identities({ signal }),
});

/** A sign-in that goes on when the browser comes back. The verifier never leaves this tab before. */
export interface PendingFlow {
  readonly id: string;
  readonly verifier: string;
  readonly method: ProviderName;
  /** True when the account at the provider is connected to the person who is signed in. */
  readonly connects: boolean;
  /** The address in the app to go to afterwards. */
  readonly next: string;
}

const PENDING = 'sign-in-flow';

/** The hash of the verifier needs a page that came by TLS, or from this machine. */
export const canUseProviders = (): boolean => window.isSecureContext;

/** Leads to the provider, and by it back to the screen that {@link takePending} serves. */
export async function goToProvider(method: ProviderName, connects: boolean, next: string): Promise<void> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const flow = {
    method,
    return_to: location.origin + PATHS.signedIn,
    challenge: base64url(new Uint8Array(hash)),
  };
  const begun = await (connects ? api.auth.beginIdentity(flow) : api.auth.beginFlow(flow));
  const pending: PendingFlow = { id: begun.id, verifier, method, connects, next };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  location.assign(begun.authorize_url);
}

/** Returns the sign-in that this tab has begun, once. */
export function takePending(): PendingFlow | undefined {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  return text === null ? undefined : (JSON.parse(text) as PendingFlow);
}

/** Ends the sign-in, and returns what is left to do, or undefined. Nothing of another account stays in the page. */
export async function completeFlow(
  { id, verifier, connects }: PendingFlow,
  code: string,
): Promise<SecondStep | undefined> {
  if (connects) {
    await api.auth.completeIdentity({ flow_id: id, code, verifier });
    await queries.invalidateQueries({ queryKey: identitiesQuery.queryKey });
    return undefined;
  }
  try {
    await api.auth.completeFlow(id, { code, verifier });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'second_factor_required') return error.details as SecondStep;
    throw error;
  }
  queries.clear();
  return undefined;
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

interface ProviderButtonsProps {
  /** The words before the name of the provider. */
  readonly words: string;
  /** The address in the app to go to afterwards. */
  readonly next: string;
}

/** A button for each provider that is set up. The browser leaves the app, and comes back signed in. */
export function ProviderButtons({ words, next }: ProviderButtonsProps): ReactNode {
  const methods = useQuery(signInMethodsQuery);
  const leave = useMutation({
    mutationFn: (method: ProviderName) => goToProvider(method, false, next),
  });
  if (!canUseProviders() || methods.data === undefined || methods.data.providers.length === 0) return null;
  return (
    <div className="grid gap-3">
      {leave.isError && <ErrorNote error={leave.error} />}
      {methods.data.providers.map((provider) => (
        <Button
          key={provider}
          wide
          className="h-9"
          busy={leave.isPending}
          onClick={() => {
            leave.mutate(provider);
          }}
        >
          {words} {PROVIDERS[provider]}
        </Button>
      ))}
    </div>
  );
}
