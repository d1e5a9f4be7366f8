import { createHash, randomBytes } from 'node:crypto';
import type { FlowRequest, Service, SignedIn } from '@service/client';
import { openInBrowser } from './browser.js';
import { LoginDenied, LoginTimedOut } from './failures.js';
import { LoopbackServer, type Returned } from './loopback-server.js';

interface BrowserLogin {
  /** What the person sees that asks. */
  readonly clientName: string;
  readonly hint: FlowRequest['hint'];
  /** The program that opens addresses, or that of the system. */
  readonly browser: string | undefined;
}

/**
 * Signs in by a browser, in which the person lets this command in. The code comes back to a server that takes only this
 * one answer; the verifier never leaves this process before.
 *
 * @throws {LoginDenied} when the person did not let it in.
 * @throws {LoginTimedOut} when nobody has decided within the time of the sign-in.
 */
export async function logInByBrowser(
  { auth }: Service,
  { clientName, hint, browser }: BrowserLogin,
): Promise<SignedIn> {
  const verifier = randomBytes(32).toString('base64url');
  const server = await LoopbackServer.start();
  try {
    const flow = await auth.beginFlow({
      method: 'browser',
      return_to: server.address,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      client_name: clientName,
      ...(hint && { hint }),
    });
    process.stderr.write(`Open this address in your browser, if it does not open by itself:\n${flow.authorize_url}\n`);
    openInBrowser(flow.authorize_url, browser);
    const returned = await within(server.returned, Date.parse(flow.expires_at) - Date.now());
    if ('error' in returned) throw new LoginDenied();
    return await auth.completeFlow(flow.id, { code: returned.code, verifier });
  } finally {
    server.stop();
  }
}

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
