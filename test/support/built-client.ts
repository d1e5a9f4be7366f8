import { randomUUID } from 'node:crypto';
import type * as Client from '@service/client';
import type * as ClientSandbox from '@service/client/sandbox';
import { buildPackages } from './built-packages.js';

buildPackages();

/** The client library as it is published, from `client/dist`, which is built from the current sources. */
export const client = jest.requireActual<typeof Client>('@service/client');
/** Its second entry. */
export const clientSandbox = jest.requireActual<typeof ClientSandbox>('@service/client/sandbox');

export interface Account {
  readonly username: string;
  readonly password: string;
  readonly organizationId: string;
  readonly sessionToken: string;
  readonly apiKey: string;
}

/** Creates a user with a key that has all rights. */
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
  return { username, password, organizationId: organization.id, sessionToken: sessionToken!, apiKey: secret };
}
