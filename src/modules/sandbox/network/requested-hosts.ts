import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { MAX_ALLOWED_HOSTS, parseAllowedHost } from '../domain/allowed-hosts.js';

/** True for a host that work may name. */
export const isAllowedHost = (value: unknown): value is string => parseAllowedHost(value) !== undefined;

/**
 * Checks the hosts that work of other modules names, by the rules of the API.
 *
 * @throws {RequestInvalid} `invalid_request`
 */
export function requireAllowedHosts(hosts: readonly string[] | undefined): void {
  if (hosts === undefined) return;
  if (hosts.length > 0 && hosts.length <= MAX_ALLOWED_HOSTS && hosts.every(isAllowedHost)) return;
  const message = `network.allow must name 1 to ${MAX_ALLOWED_HOSTS} hosts, such as api.example.com or *.example.com`;
  throw new RequestInvalid([{ path: 'network.allow', in: 'body', code: 'is_allowed_host', message }]);
}
