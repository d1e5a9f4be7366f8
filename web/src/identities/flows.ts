import { type BegunFlow, type Identity, ServiceError, type SignInMethods } from '@service/client';
import { queryOptions } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, queries } from '../api';
import type { SecondStep } from '../data/session';
import { PATHS } from '../paths';

export type ProviderName = SignInMethods['providers'][number];

/** The providers by their names. */
export const PROVIDERS: Readonly<Record<Identity['provider'], string>> = {
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
  readonly method: Identity['provider'];
  /** True when the account at the provider is connected to the person who is signed in. */
  readonly connects: boolean;
  /** The address in the app to go to afterwards. */
  readonly next: string;
}

/** Under which this tab keeps a {@link PendingFlow}. */
export const SIGN_IN = 'sign-in-flow';

/** The hash of the verifier needs a page that came by TLS, or from this machine. */
export const canUseProviders = (): boolean => window.isSecureContext;

/** Leads to the provider, and by it back to the screen of {@link SIGN_IN}. */
export const goToProvider = (method: ProviderName, connects: boolean, next: string): Promise<void> =>
  leave({ method }, connects, next);

/** What leads to the connection of an organization: an address in one of its domains, or its id or slug. */
export type WantedConnection = { readonly email: string } | { readonly org: string };

/** {@link goToProvider} for a sign-in through the connection of an organization. */
export const goToSso = (wanted: WantedConnection, next: string): Promise<void> =>
  leave({ method: 'sso', ...wanted }, false, next);

/** {@link goToProvider} for the identity of an account at the connection of an organization. */
export const connectSso = (org: string, next: string): Promise<void> => leave({ method: 'sso', org }, true, next);

type Wanted = { readonly method: ProviderName } | ({ readonly method: 'sso' } & WantedConnection);

async function leave(wanted: Wanted, connects: boolean, next: string): Promise<void> {
  await leaveFor({
    key: SIGN_IN,
    begin: (challenge) => {
      const flow = { ...wanted, return_to: location.origin + PATHS.signedIn, challenge };
      return connects ? api.auth.beginIdentity(flow) : api.auth.beginFlow(flow);
    },
    facts: { method: wanted.method, connects, next },
  });
}

interface Leaving {
  /** Under which this tab keeps what it needs when the browser comes back. */
  readonly key: string;
  readonly begin: (challenge: string) => Promise<BegunFlow>;
  /** What this tab has to know then, beside the id and the verifier. */
  readonly facts: object;
}

/** Begins a flow and leaves the app for it. */
export async function leaveFor({ key, begin, facts }: Leaving): Promise<void> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const begun = await begin(base64url(new Uint8Array(hash)));
  sessionStorage.setItem(key, JSON.stringify({ ...facts, id: begun.id, verifier }));
  location.assign(begun.authorize_url);
}

interface Arrival {
  /** What {@link leaveFor} has kept; undefined where this tab has begun nothing. */
  readonly pending: unknown;
  readonly code: string | undefined;
  readonly error: string | undefined;
}

/** With what the browser came back. All of it counts once: it leaves this tab and the address at once. */
export function useArrival(key: string): Arrival {
  // The address is changed only afterwards, because its change begins this render anew.
  const [arrival] = useState(() => arrivalOf(key));
  useEffect(() => {
    sessionStorage.removeItem(key);
    if (location.search !== '') history.replaceState(history.state, '', location.pathname);
  }, [key]);
  return arrival;
}

function arrivalOf(key: string): Arrival {
  const found = new URLSearchParams(location.search);
  const text = sessionStorage.getItem(key);
  return {
    pending: text === null ? undefined : (JSON.parse(text) as unknown),
    code: found.get('code') ?? undefined,
    error: found.get('error') ?? undefined,
  };
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
