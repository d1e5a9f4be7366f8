import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { ALLOWED_HOST, isAllowedHost, MAX_ALLOWED_HOSTS } from '../domain/allowed-hosts.js';

const TOO_MANY = { code: 'array_max_size', message: `network.allow must name 1 to ${MAX_ALLOWED_HOSTS} hosts` };

/**
 * Checks the hosts that work of other modules names, by the rules of the API.
 *
 * @throws {RequestInvalid} `invalid_request`
 */
export function requireAllowedHosts(hosts: readonly string[] | undefined): void {
  if (hosts === undefined) return;
  const isCounted = hosts.length > 0 && hosts.length <= MAX_ALLOWED_HOSTS;
  if (isCounted && hosts.every(isAllowedHost)) return;
  const { code, message } = isCounted ? ALLOWED_HOST : TOO_MANY;
  throw new RequestInvalid([{ path: 'network.allow', in: 'body', code, message }]);
}
