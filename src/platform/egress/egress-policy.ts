import { isIP } from 'node:net';

const HTTPS_PORT = 443;

/** Where a program may go. */
export interface EgressPolicy {
  /** Names of hosts of the internet, at port 443 only, and only where they lead to the internet. */
  readonly hosts: readonly string[];
  /**
   * `127.0.0.1:8418`, `npm.internal`: named by whoever runs the service, so that they may lead anywhere, and be spoken
   * to by http.
   */
  readonly trusted: readonly string[];
}

/** How a place may be reached; null when it may not. */
export interface Passage {
  readonly host: string;
  readonly port: number;
  /** Only where it leads to the internet. */
  readonly publicOnly: boolean;
}

/**
 * Labels of letters, digits, hyphens and underscores; the last begins with a letter, so that it is no spelling of an
 * address.
 */
const NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;

/** Judges the `host:port` of a CONNECT, or of the address of a plain request. */
export function passageTo(target: string, policy: EgressPolicy): Passage | null {
  const [, host = '', digits = ''] = /^([^:]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(target) ?? [];
  const name = host.toLowerCase();
  const port = Number(digits);
  if (name === '' || port < 1 || port > 65_535) return null;
  if (policy.trusted.includes(`${name}:${port}`) || (policy.trusted.includes(name) && port === HTTPS_PORT))
    return { host: name, port, publicOnly: false };
  return port === HTTPS_PORT && NAME.test(name) && isIP(name) === 0 && policy.hosts.includes(name)
    ? { host: name, port, publicOnly: true }
    : null;
}
