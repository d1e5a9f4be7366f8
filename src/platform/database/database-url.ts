import { readFileSync } from 'node:fs';

export const DATABASE_SCHEMES = ['postgres://', 'postgresql://'];

/** `prefer` and `allow` of libpq connect without TLS where there is none, which nobody wants unawares. */
const MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** What libpq calls the authorities that the system trusts. */
const SYSTEM = 'system';

/**
 * Returns the address as `pg` and TypeORM need it, so that `sslmode` means what it means to every program that uses
 * libpq: `require` encrypts, `verify-ca` also checks the certificate, and `verify-full` its name as well. By itself
 * `pg` takes all three for the last one, and warns of it.
 */
export function withTlsOfLibpq(url: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  const parameters = address.searchParams;
  if (parameters.get('sslrootcert') === SYSTEM) {
    parameters.delete('sslrootcert');
    parameters.set('sslmode', 'verify-full');
  }
  if (!parameters.has('sslmode') && FILES.some((name) => parameters.has(name)))
    parameters.set('sslmode', 'verify-full');
  const mode = parameters.get('sslmode');
  // An address without TLS stays as it was written.
  if (mode === null || parameters.has('uselibpqcompat')) return url;
  // The name that `pg` has for it is unknown to libpq.
  if (mode !== 'no-verify') parameters.set('uselibpqcompat', 'true');
  return address.href;
}

/** Returns the end of the sentence that refuses the address, which shows nothing of it, or undefined. */
export function faultOfDatabaseUrl(url: string): string | undefined {
  // A user without a host, which means the socket of this machine, is no URL but for `pg`.
  const address = url.replace('@/', '@socket/');
  if (!URL.canParse(address)) return 'must be a URL, with special characters of the password as %XX';
  const { searchParams } = new URL(address);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !MODES.includes(mode))
    return 'must have disable, require, verify-ca or verify-full as its sslmode';
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) return 'must name sslrootcert for sslmode=verify-ca';
  const unreadable = FILES.find((name) => searchParams.has(name) && !canRead(searchParams.get(name)!));
  if (unreadable !== undefined) return `must name a file that can be read as its ${unreadable}`;
  if (searchParams.has('sslcert') !== searchParams.has('sslkey'))
    return 'must name both sslcert and sslkey, or neither';
  return undefined;
}

function canRead(path: string): boolean {
  if (path === SYSTEM) return true;
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
