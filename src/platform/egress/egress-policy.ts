import { isIP } from 'node:net';

export const HTTPS_PORT = 443;
export const HTTP_PORT = 80;

/** The hosts that a program may connect to. */
export interface EgressPolicy {
  /** Internet hosts, which are reachable on port 443 only and only at public addresses. */
  readonly hosts: readonly string[];
  /**
   * Hosts that the operator trusts, such as `127.0.0.1:8418` or `npm.internal`. They may have any address and may be
   * reached by plain HTTP.
   */
  readonly trusted: readonly string[];
  /**
   * True to let the program reach every other named host too: on port 443 by TLS and on port 80 by HTTP, and only at
   * public addresses.
   */
  readonly open?: boolean;
  /** Further internet hosts, at their own ports: by HTTP on port 80, by TLS on any other, only at public addresses. */
  readonly listed?: readonly ListedHost[];
}

export interface ListedHost {
  /** `api.example.com`, or `*.example.com` for every name with at least one more label. */
  readonly name: string;
  readonly ports: readonly number[];
}

/** How a target may be reached. */
export interface Passage {
  readonly host: string;
  readonly port: number;
  /** True when only public addresses may be connected to. */
  readonly publicOnly: boolean;
}

/**
 * Labels of letters, digits, hyphens and underscores. The last one begins with a letter, so that the name is not a
 * spelling of an IP address.
 */
const NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;

/** Checks the `host:port` of a CONNECT or of a plain request. Returns null when the target is not allowed. */
export function passageTo(target: string, policy: EgressPolicy): Passage | null {
  const [, host = '', digits = ''] = /^([^:]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(target) ?? [];
  const name = host.toLowerCase();
  const port = Number(digits);
  if (name === '' || port < 1 || port > 65_535) return null;
  if (policy.trusted.includes(`${name}:${port}`) || (policy.trusted.includes(name) && port === HTTPS_PORT))
    return { host: name, port, publicOnly: false };
  if (!NAME.test(name) || isIP(name) !== 0) return null;
  const isAllowed =
    policy.open === true
      ? port === HTTPS_PORT || port === HTTP_PORT
      : (port === HTTPS_PORT && policy.hosts.includes(name)) || isListed(name, port, policy.listed ?? []);
  return isAllowed ? { host: name, port, publicOnly: true } : null;
}

function isListed(name: string, port: number, listed: readonly ListedHost[]): boolean {
  return listed.some(
    (host) =>
      host.ports.includes(port) &&
      (host.name.startsWith('*.') ? name.endsWith(host.name.slice(1)) : name === host.name),
  );
}
