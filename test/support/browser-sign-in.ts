import { createHash, randomBytes } from 'node:crypto';
import { as, expectStatus, type Person } from './make.js';
import type { Answer, CallOptions, TestApp } from './test-app.js';

const FLOWS = '/api/v1/auth/flows';

/** A sign-in that a program has begun, with the secret of the program. */
export interface BegunBrowserFlow {
  readonly id: string;
  readonly authorizeUrl: URL;
  readonly verifier: string;
}

/** The body with which a program begins. */
export const browserFlow = (fields: object = {}): Record<string, unknown> => ({
  method: 'browser',
  return_to: 'http://127.0.0.1:49152/signed-in?state=abc',
  challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
  client_name: 'Command line on ada-laptop',
  ...fields,
});

export async function beginBrowserFlow(app: TestApp, fields: object = {}): Promise<BegunBrowserFlow> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const begun = await app.post(FLOWS, browserFlow({ challenge, ...fields }));
  const { id, authorize_url: url } = expectStatus(201, begun).body.data;
  return { id: id as string, authorizeUrl: new URL(url as string), verifier };
}

export const decide = (
  app: TestApp,
  what: 'approve' | 'deny',
  { id }: Pick<BegunBrowserFlow, 'id'>,
  options: CallOptions,
): Promise<Answer> => app.call('POST', `${FLOWS}/${id}/${what}`, options);

/** Approves a sign-in, and returns the code that the program gets. */
export async function approve(
  app: TestApp,
  flow: Pick<BegunBrowserFlow, 'id'>,
  person: Pick<Person, 'sessionToken'> | string,
): Promise<string> {
  const { redirect_to: place } = expectStatus(200, await decide(app, 'approve', flow, as(person))).body.data;
  return new URL(place as string).searchParams.get('code')!;
}
