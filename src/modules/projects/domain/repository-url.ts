const MAX_LENGTH = 2_000;
const HTTPS_PORT = 443;

/** Scheme, host, port and path: nothing else may be in it, and every character is one of these. */
const FORM = /^(https?):\/\/([a-z0-9.-]+)(?::(\d{1,5}))?(\/[a-z0-9._~+@%/-]*)$/i;

/**
 * Letters, digits and hyphens; the last label begins with a letter, so that it is no number and no part of an address.
 */
const PUBLIC_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_HOST_LENGTH = 253;

/**
 * Names that lead to nowhere, or to somewhere inside: by standards (RFC 2606, 6761, 6762, 7686, 8375, 9476) and by
 * habit.
 */
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

/** Which repositories may be linked beside those of the internet. */
interface RepositoryRules {
  /** Where this service is called; its own repositories are below `/git/` there. */
  readonly publicUrl: string;
  /** `127.0.0.1:8418` */
  readonly allowedHosts: readonly string[];
}

/** A repository's address in the one form that is kept, or the rule that it breaks. */
type CheckedUrl = { readonly url: string } | { readonly fault: string };

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly segments: readonly string[];
}

/**
 * Checks the address of a repository, which is hostile input: what it names is fetched by a machine of ours. It is read
 * by its characters and not by a URL parser, which would repair what must be refused.
 *
 * That a name is public does not say where it leads: whoever fetches checks the addresses as well.
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

/** No segment is empty, climbs, can be taken for an option or hides a character, but for a space. */
function faultOfPath(segments: readonly string[]): string | undefined {
  const isPlain = (segment: string): boolean =>
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    !segment.startsWith('-') &&
    !segment.replaceAll('%20', '').includes('%');
  return segments.every(isPlain) ? undefined : 'must have a path of plain names, none of which begins with -';
}

/** Repositories of this service, and those on hosts that its operator has named. */
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
  if (port !== HTTPS_PORT) return 'must not name a port';
  if (host.length > MAX_HOST_LENGTH || !PUBLIC_HOST.test(host))
    return 'must name its host, github.com for one, and not by an address';
  if (INNER_DOMAINS.has(host.slice(host.lastIndexOf('.') + 1))) return 'must name a host of the internet';
  return segments.length < 2 ? 'must name an owner and a repository, /<owner>/<name>' : undefined;
}

const defaultPortOf = (scheme: string): number => (scheme === 'https' ? HTTPS_PORT : 80);

function textOf({ scheme, host, port, segments }: Parts): string {
  return `${scheme}://${host}${port === defaultPortOf(scheme) ? '' : `:${port}`}/${segments.join('/')}`;
}
