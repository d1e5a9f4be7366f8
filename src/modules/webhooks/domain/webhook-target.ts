import { passageTo } from '../../../platform/egress/egress-policy.js';

export const MAX_URL_LENGTH = 1_000;

/** Where a webhook is sent, and whether only public addresses may be connected to. */
export interface WebhookTarget {
  readonly url: URL;
  readonly publicOnly: boolean;
}

/**
 * Reads the URL of an endpoint. Undefined when nothing may be sent there: other schemes than https, other ports than
 * that of https, addresses instead of names, and credentials are refused, except for hosts that the operator trusts.
 */
export function targetOf(text: string, trusted: readonly string[]): WebhookTarget | undefined {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, hostname, port, username, password } = url;
  if (username !== '' || password !== '' || (protocol !== 'https:' && protocol !== 'http:')) return undefined;
  const passage = passageTo(`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`, {
    hosts: [],
    trusted,
    open: true,
  });
  if (passage === null) return undefined;
  // A name without a dot is one of the network of the machine, and the internet has none.
  if (passage.publicOnly && (protocol !== 'https:' || passage.port !== 443 || !hostname.includes('.')))
    return undefined;
  return { url, publicOnly: passage.publicOnly };
}
