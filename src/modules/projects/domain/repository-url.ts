const MAX_LENGTH = 2_000;
const HTTPS_PORT = 443;

/** Allows a scheme, host, port and path, and only these characters. */
const FORM = /^(https?):\/\/([a-z0-9.-]+)(?::(\d{1,5}))?(\/[a-z0-9._~+@%/-]*)$/i;

/**
 * Labels of letters, digits and hyphens. The last label begins with a letter, so that the host cannot be a number or an
 * IP address.
 */
const PUBLIC_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_HOST_LENGTH = 253;

/** Domains that do not resolve publicly, by standards (RFC 2606, 6761, 6762, 7686, 8375, 9476) or by convention. */
const INNER_DOMAINS = new Set([
  'alt',
  'arpa',
  'corp',
  'example',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
]);

/** The repositories that may be linked besides those on the public internet. */
interface RepositoryRules {
  /** The public URL of this service, which serves its own repositories below `/git/`. */
  readonly publicUrl: string;
  /** Hosts such as `127.0.0.1:8418`. */
  readonly allowedHosts: readonly string[];
}

/** The URL in its normalized form, or the rule that it breaks. */
type CheckedUrl = { readonly url: string } | { readonly fault: string };

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly segments: readonly string[];
}

/**
 * Checks the URL of a repository. It is hostile input, because our machines fetch it. The text is matched character by
 * character, and not with a URL parser, which would repair what must be refused.
 *
 * A public host name may still resolve to a private address, so the fetching code checks the addresses as well.
 */
export function checkRepositoryUrl(text: string, rules: RepositoryRules): CheckedUrl {
  if (text.length > MAX_LENGTH) return { fault: `must be at most ${MAX_LENGTH} characters` };
  const parts = partsOf(text);
  if (parts === undefined) return { fault: 'must be https://<host>/<path>, without user, query and fragment' };
  const fault = faultOfPath(parts.segments) ?? (isOurs(parts, rules) ? undefined : faultOfPlace(parts, rules));
  return fault === undefined ? { url: textOf(parts) } : { fault };
}

function partsOf(text: string): Parts | undefined {
  const [, scheme = '', host = '', port, path = ''] = FORM.exec(text) ?? [];
  if (scheme === '') return undefined;
  const protocol = scheme.toLowerCase();
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return {
    scheme: protocol,
    host: host.toLowerCase(),
    port: port === undefined ? defaultPortOf(protocol) : Number(port),
    segments,
  };
}

/** A segment must not be empty, climb to a parent, look like an option, or hide a character other than a space. */
function faultOfPath(segments: readonly string[]): string | undefined {
  const isPlain = (segment: string): boolean =>
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    !segment.startsWith('-') &&
    !segment.replaceAll('%20', '').includes('%');
  return segments.every(isPlain) ? undefined : 'must have a path of plain names that do not begin with -';
}

/** True for repositories of this service, and on hosts that the operator has allowed. */
function isOurs({ scheme, host, port, segments }: Parts, { publicUrl, allowedHosts }: RepositoryRules): boolean {
  const own = new URL(publicUrl);
  const ownPath = [...own.pathname.split('/').filter(Boolean), 'git'];
  const isOwnOrigin =
    `${scheme}:` === own.protocol && host === own.hostname && port === Number(own.port || defaultPortOf(scheme));
  if (isOwnOrigin && segments.length >= ownPath.length + 2 && ownPath.every((name, index) => segments[index] === name))
    return true;
  return allowedHosts.some(
    (allowed) => allowed === `${host}:${port}` || (allowed === host && port === defaultPortOf(scheme)),
  );
}

function faultOfPlace({ scheme, host, port, segments }: Parts, { publicUrl }: RepositoryRules): string | undefined {
  if (host === new URL(publicUrl).hostname) return 'must be /git/<organization>/<name>.git on this service';
  if (scheme !== 'https') return 'must be https://…';
  if (port !== HTTPS_PORT) return 'must not have a port';
  if (host.length > MAX_HOST_LENGTH || !PUBLIC_HOST.test(host))
    return 'must have a host name such as github.com, not an IP address';
  if (INNER_DOMAINS.has(host.slice(host.lastIndexOf('.') + 1))) return 'must have a public host';
  return segments.length < 2 ? 'must have the path /<owner>/<name>' : undefined;
}

const defaultPortOf = (scheme: string): number => (scheme === 'https' ? HTTPS_PORT : 80);

function textOf({ scheme, host, port, segments }: Parts): string {
  return `${scheme}://${host}${port === defaultPortOf(scheme) ? '' : `:${port}`}/${segments.join('/')}`;
}
