import { randomUUID } from 'node:crypto';
import type * as Client from '@service/client';
import { buildPackages } from './built-packages.js';

buildPackages();

/** The client library as it is published: what `client/dist` holds, built from the sources as they are now. */
export const client = jest.requireActual<typeof Client>('@service/client');

export interface Account {
  readonly username: string;
  readonly password: string;
  readonly organizationId: string;
  readonly sessionToken: string;
  readonly apiKey: string;
}

/** A person with a key that may do everything. */
export async function signUpWithKey(baseUrl: string): Promise<Account> {
  const username = `u${randomUUID().slice(0, 12)}`;
  const password = `correct horse ${randomUUID()}`;
  const anonymous = new client.Service({ anonymous: true, baseUrl });
  const { session_token: sessionToken, organization } = await anonymous.auth.signUp({
    username,
    email: `${username}@example.com`,
    password,
  });
  const { secret } = await new client.Service({ sessionToken, baseUrl }).keys.create({
    name: 'test',
    kind: 'personal',
    preset: 'full',
  });
  return { username, password, organizationId: organization.id, sessionToken, apiKey: secret };
}
