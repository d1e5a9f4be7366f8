import { createHash, randomBytes } from 'node:crypto';
import type { FlowRequest, Service, SignedIn } from '@service/client';
import { openInBrowser } from './browser.js';
import { LoginDenied, LoginNotProved, LoginTimedOut } from './failures.js';
import { LoopbackServer, type Returned } from './loopback-server.js';

interface BrowserLogin {
  /** How the person signs in there. */
  readonly flow: Omit<FlowRequest, 'return_to' | 'challenge'>;
  /** The program that opens addresses, or that of the system. */
  readonly browser: string | undefined;
}

/**
 * Signs in by a browser, in which the person lets this command in. The code comes back to a server that takes only this
 * one answer; the verifier never leaves this process before.
 *
 * @throws {LoginDenied} when the person did not let it in.
 * @throws {LoginNotProved} when the identity provider did not say who the person is.
 * @throws {LoginTimedOut} when nobody has decided within the time of the sign-in.
 */
export async function logInByBrowser({ auth }: Service, { flow: wanted, browser }: BrowserLogin): Promise<SignedIn> {
  const verifier = randomBytes(32).toString('base64url');
  const server = await LoopbackServer.start();
  try {
    const flow = await auth.beginFlow({
      ...wanted,
      return_to: server.address,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
    });
    process.stderr.write(`Open this address in your browser, if it does not open by itself:\n${flow.authorize_url}\n`);
    openInBrowser(flow.authorize_url, browser);
    const returned = await within(server.returned, Date.parse(flow.expires_at) - Date.now());
    if ('error' in returned) throw refusalOf(wanted.method, returned.error);
    return await auth.completeFlow(flow.id, { code: returned.code, verifier });
  } finally {
    server.stop();
  }
}

/** At an identity provider, only a refusal by the person is one. */
const refusalOf = (method: FlowRequest['method'], error: string): Error =>
  method === 'browser' || error === 'access_denied' ? new LoginDenied() : new LoginNotProved(error);

async function within(returned: Promise<Returned>, ms: number): Promise<Returned> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new LoginTimedOut());
    }, ms);
  });
  try {
    return await Promise.race([returned, end]);
  } finally {
    clearTimeout(timer);
  }
}
