import { type NewAccount, ServiceError, type ShownFactor } from '@service/client';
import { api, isSignedOut, queries } from '../api';

/** A sign-in whose password was right, and which a second factor completes. */
export interface SecondStep {
  readonly token: string;
  readonly methods: readonly string[];
}

/** Returns what is left to do, or undefined. Nothing of another account stays in the page. */
export async function signIn(login: string, password: string): Promise<SecondStep | undefined> {
  try {
    await api.auth.signIn({ login, password });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'second_factor_required') return error.details as SecondStep;
    throw error;
  }
  queries.clear();
  return undefined;
}

export async function completeSignIn(shown: { readonly token: string } & ShownFactor): Promise<void> {
  await api.auth.secondFactor(shown);
  queries.clear();
}

export async function signInWithPasskey(passkey: Readonly<Record<string, unknown>>): Promise<void> {
  await api.auth.signInWithPasskey(passkey);
  queries.clear();
}

export async function signUp(account: NewAccount): Promise<void> {
  await api.auth.signUp(account);
  queries.clear();
}

/** A session that has ended elsewhere is signed out already. */
export async function signOut(): Promise<void> {
  try {
    await api.auth.signOut();
  } catch (error) {
    if (!isSignedOut(error)) throw error;
  }
  queries.clear();
}
