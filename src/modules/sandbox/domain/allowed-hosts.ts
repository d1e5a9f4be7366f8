import { HTTP_PORT, HTTPS_PORT, type ListedHost } from '../../../platform/egress/egress-policy.js';
import type { Rule } from './rule.js';

export const MAX_ALLOWED_HOSTS = 20;

/** True for a host that a request may name. */
export const isAllowedHost = (value: unknown): value is string => parseAllowedHost(value) !== undefined;

export const ALLOWED_HOST: Rule<unknown> = {
  code: 'is_allowed_host',
  message: 'each host must be a name such as api.example.com or *.example.com, with an optional port other than 25',
  holds: isAllowedHost,
};

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The last label begins with a letter, so that the name is not a spelling of an address. */
const FORM = new RegExp(
  `^(?<name>(?:\\*\\.)?(?:${LABEL}\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])(?::(?<port>[1-9]\\d{0,4}))?$`,
);
const LONGEST_NAME = 253;
const LAST_PORT = 65_535;
/** Servers send mail to each other there, and nobody else should. */
const SMTP_PORT = 25;

/** Reads `api.example.com`, `*.example.com` or either with a port; undefined for anything else, such as an address. */
export function parseAllowedHost(text: unknown): ListedHost | undefined {
  if (typeof text !== 'string') return undefined;
  const { name, port } = FORM.exec(text.toLowerCase())?.groups ?? {};
  if (name === undefined || name.length > LONGEST_NAME) return undefined;
  // A star must stand for the names of one owner, not for a whole top-level domain.
  if (name.startsWith('*.') && name.split('.').length < 3) return undefined;
  if (port === undefined) return { name, ports: [HTTPS_PORT, HTTP_PORT] };
  return Number(port) === SMTP_PORT || Number(port) > LAST_PORT ? undefined : { name, ports: [Number(port)] };
}
