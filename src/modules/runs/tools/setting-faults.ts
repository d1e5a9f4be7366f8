import { isHostPattern } from '../../../platform/egress/listed-hosts.js';
import { publicTargetOf } from '../../../platform/egress/public-target.js';
import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { isSettableHeader, secretNamesOf } from './secret-headers.js';

const MAX_HOSTS = 50;
const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 2_000;

/** `path` is that of the tool, such as `tools[0]`. */
export const settingFault = (path: string, name: string, code: string, message: string): FieldFault => ({
  path: `${path}.settings${name === '' ? '' : `.${name}`}`,
  in: 'body',
  code,
  message: `${name === '' ? 'settings' : name} ${message}`,
});

export function unknownSettings(
  settings: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: string,
): readonly FieldFault[] {
  const list = known.length === 0 ? 'The tool has none.' : `The tool has: ${known.join(', ')}.`;
  return Object.keys(settings)
    .filter((name) => !known.includes(name))
    .map((name) => settingFault(path, shown(name), 'whitelist_validation', `is not a setting. ${list}`));
}

/** A name that a tenant chose may be long, and it is repeated in the answer. */
const shown = (name: string): string => name.slice(0, 100);

export function hostFaults(hosts: unknown, path: string, trusted: readonly string[]): readonly FieldFault[] {
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > MAX_HOSTS)
    return [settingFault(path, 'hosts', 'is_hosts', `must be a list of 1 to ${MAX_HOSTS} hosts.`)];
  const rule = 'must be a host such as "api.example.com" or "*.example.org", in lower case and without a port.';
  return (hosts as unknown[]).flatMap((host, index) =>
    typeof host === 'string' && isHostPattern(host, trusted)
      ? []
      : [settingFault(path, `hosts[${index}]`, 'is_host', rule)],
  );
}

export function urlFaults(url: unknown, path: string, trusted: readonly string[]): readonly FieldFault[] {
  if (typeof url === 'string' && publicTargetOf(url, { trusted }) !== undefined && !url.includes('{{')) return [];
  const rule = 'must be an https URL with the name of a public host, without a port, a user or a password.';
  return [settingFault(path, 'url', 'is_public_url', rule)];
}

export function headerFaults(headers: unknown, path: string): readonly FieldFault[] {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return [settingFault(path, 'headers', 'is_object', 'must be an object of texts.')];
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS)
    return [settingFault(path, 'headers', 'max_headers', `can have ${MAX_HEADERS} entries.`)];
  return entries.flatMap(([name, value]) => {
    const at = `headers.${shown(name)}`;
    if (!isSettableHeader(name)) return [settingFault(path, at, 'is_header', 'is not a header that can be set.')];
    if (typeof value !== 'string' || value.length > MAX_HEADER_LENGTH || !isHeaderText(value))
      return [settingFault(path, at, 'is_header_text', `must be one line of at most ${MAX_HEADER_LENGTH} characters.`)];
    return secretNamesOf(value) === undefined
      ? [settingFault(path, at, 'is_template', 'must name secrets as {{secret:NAME}}, with an upper-case name.')]
      : [];
  });
}

/** What a header may hold without being encoded. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e]*$/.test(text);
