import type { NewAccount } from '@service/client';
import { api, isSignedOut, queries } from '../api';

/** Nothing of another account stays in the page. */
export async function signIn(login: string, password: string): Promise<void> {
  await api.auth.signIn({ login, password });
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
