import { isHostName } from '../config/hosts.js';

/** Accepts `api.example.com`, `*.example.org`, and what the operator trusts, such as `127.0.0.1:8080`. */
export const isHostPattern = (text: string, trusted: readonly string[]): boolean =>
  trusted.includes(text) || (text.includes('.') && isHostName(text.replace(/^\*\./, '')));

/**
 * True when a list such as `['api.example.com', '*.example.org']` has the host. A star stands for at least one label.
 */
export function isListedHost({ host, hostname }: URL, hosts: readonly string[]): boolean {
  return hosts.some((pattern) =>
    pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : pattern === hostname || pattern === host,
  );
}
