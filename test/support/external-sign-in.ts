import { createHash, randomBytes } from 'node:crypto';
import { as, expectStatus, type Person } from './make.js';
import type { Answer, CallOptions, TestApp } from './test-app.js';

/** Where the sign-ins of tests return to. */
const RETURN_TO = 'http://127.0.0.1:49152/signed-in?tab=1';

/** A sign-in that was begun, with the secret of its beginner. */
export interface BegunFlow {
  readonly id: string;
  /** The path that the browser opens. */
  readonly path: string;
  readonly verifier: string;
}

export type Provider = 'github' | 'google';

/** Begins a sign-in, or a connection for a person. */
export async function beginFlow(
  app: TestApp,
  method: Provider,
  { person, returnTo = RETURN_TO }: { readonly person?: Person | string; readonly returnTo?: string } = {},
): Promise<BegunFlow> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const body = { method, return_to: returnTo, challenge };
  const begun =
    person === undefined
      ? await app.post('/api/v1/auth/flows', body)
      : await app.post('/api/v1/me/identities', body, as(person));
  const { id, authorize_url: url } = expectStatus(201, begun).body.data;
  return { id: id as string, path: new URL(url as string).pathname, verifier };
}

export const completeFlow = (
  app: TestApp,
  { id, verifier }: Pick<BegunFlow, 'id' | 'verifier'>,
  code: string,
  options: CallOptions = {},
): Promise<Answer> => app.post(`/api/v1/auth/flows/${id}/complete`, { code, verifier }, options);

/** A browser that keeps the cookie of this service and follows no redirects by itself. */
export class FakeBrowser {
  cookie: string | undefined;

  constructor(private readonly app: TestApp) {}

  /** Opens an address of this service. */
  async open(address: string): Promise<Answer> {
    const { pathname, search } = new URL(address, 'http://api.test');
    const headers = { accept: 'text/html', ...(this.cookie === undefined ? {} : { cookie: this.cookie }) };
    const answer = await this.app.fetch(pathname + search, { headers });
    const [set = ''] = answer.headers.getSetCookie();
    if (set !== '') this.cookie = /^[^=]+=;/.test(set) ? undefined : set.split(';')[0]!;
    return answer;
  }

  /** Goes to the provider. Returns its address. */
  async start({ path }: BegunFlow): Promise<string> {
    return locationOf(await this.open(path));
  }

  /** Comes back from the provider, and goes on to where the sign-in began. */
  async comeBack(address: string): Promise<URL> {
    const finish = locationOf(await this.open(address));
    return new URL(locationOf(await this.open(finish)));
  }

  /** Takes all steps. Returns the code. */
  async walk(flow: BegunFlow, allow: (location: string) => string): Promise<string> {
    const returned = await this.comeBack(allow(await this.start(flow)));
    const code = returned.searchParams.get('code');
    if (code === null) throw new Error(`The sign-in returned to ${returned.href}.`);
    return code;
  }
}

export function locationOf(answer: Answer): string {
  expectStatus(303, answer);
  return answer.headers.get('location')!;
}
