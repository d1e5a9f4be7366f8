import { passageTo } from './egress-policy.js';

export const MAX_PUBLIC_URL_LENGTH = 1_000;

/** Where a request of a tenant goes, and whether only public addresses may be connected to. */
export interface PublicTarget {
  readonly url: URL;
  readonly publicOnly: boolean;
}

export interface PublicTargetRules {
  /** Hosts that the operator trusts: they may have any address and port, and may be reached by plain HTTP. */
  readonly trusted: readonly string[];
  /** True when other hosts may be reached by plain HTTP on port 80 as well. */
  readonly allowsPlainHttp?: boolean;
  /** The longest URL. The default is 1,000 characters. */
  readonly maxLength?: number;
}

/**
 * Reads a URL that a tenant chose. Undefined when nothing may be sent there: other schemes than https, other ports than
 * that of the scheme, addresses instead of names, and credentials are refused, except for hosts that the operator
 * trusts.
 */
export function publicTargetOf(text: string, rules: PublicTargetRules): PublicTarget | undefined {
  if (text.length > (rules.maxLength ?? MAX_PUBLIC_URL_LENGTH) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, hostname, port, username, password } = url;
  if (username !== '' || password !== '' || (protocol !== 'https:' && protocol !== 'http:')) return undefined;
  const passage = passageTo(`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`, {
    hosts: [],
    trusted: rules.trusted,
    open: true,
  });
  if (passage === null) return undefined;
  if (!passage.publicOnly) return { url, publicOnly: false };
  const isUsual = protocol === 'https:' ? passage.port === 443 : rules.allowsPlainHttp === true && passage.port === 80;
  // A name without a dot is one of the network of the machine, and the internet has none.
  return isUsual && hostname.includes('.') ? { url, publicOnly: true } : undefined;
}
