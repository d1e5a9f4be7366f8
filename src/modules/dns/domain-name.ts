import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';

/** The longest name in DNS, in ASCII and without the dot of the root. */
const MAX_LENGTH = 253;
/** Names of customers that are longer before they are converted are refused unread. */
const MAX_TYPED = 1_000;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const WILDCARD = '*.';
/** Domains that resolve to the machine that asks, or to nothing (RFC 6761, RFC 7686). */
const SPECIAL = new Set(['arpa', 'example', 'internal', 'invalid', 'local', 'localhost', 'onion', 'test']);

/** A rule that a name violates. */
export interface NameFault {
  readonly code: string;
  readonly message: string;
}

/** A name in the one form that is stored and compared: lower-case ASCII, with punycode for other scripts. */
export interface DomainName {
  /** `shop.example.com` or `*.example.com`. */
  readonly ascii: string;
  /** The name without `*.`. */
  readonly host: string;
  readonly isWildcard: boolean;
  /** True for `example.com` and `example.co.uk`, which cannot have a CNAME record. */
  readonly isApex: boolean;
  /** The name whose owner is asked for proof: the host without `www.`. */
  readonly base: string;
}

/**
 * Reads a name as a person typed it. `isTaken` says of a name whether it belongs to the platform. It never throws.
 *
 * The conversion is that of browsers (UTS 46), so that every spelling of a name, in capitals, in full width or with
 * another dot, becomes the same text and finds the same claim.
 */
export function readDomainName(typed: string, isTaken: (host: string) => boolean): DomainName | NameFault {
  if (typed.length > MAX_TYPED) return fault('max_length', `the name must have at most ${MAX_LENGTH} characters`);
  const isWildcard = typed.startsWith(WILDCARD);
  const rest = isWildcard ? typed.slice(WILDCARD.length) : typed;
  const formFault = faultOfForm(rest);
  if (formFault !== undefined) return formFault;

  const host = domainToASCII(rest);
  // Node takes a last label of digits for an address: 1.2.3 is 1.2.0.3.
  if (isIP(host) !== 0 || /^[\d.]+$/.test(host)) return fault('is_domain', 'an IP address cannot be a domain');
  const labels = host.split('.');
  if (!labels.every((label) => LABEL.test(label)) || !survivesRoundTrip(host))
    return fault('is_domain', 'the name must be a valid domain name, such as shop.example.com');
  if (domainToUnicode(host).split('.').some(mixesScripts))
    return fault('is_one_script', 'a part of the name mixes letters of several scripts');
  if (host.length > MAX_LENGTH - (isWildcard ? WILDCARD.length : 0))
    return fault('max_length', `the name must have at most ${MAX_LENGTH} characters`);
  if (isTaken(host)) return fault('is_not_reserved', `${host} belongs to this service`);
  return known(host, isWildcard);
}

export const isFault = (read: DomainName | NameFault): read is NameFault => 'code' in read;

/** Returns the name as people read it: `*.bücher.example` for `*.xn--bcher-kva.example`. */
export function unicodeOf(ascii: string): string {
  const isWildcard = ascii.startsWith(WILDCARD);
  const unicode = domainToUnicode(isWildcard ? ascii.slice(WILDCARD.length) : ascii);
  return isWildcard ? WILDCARD + unicode : unicode;
}

function faultOfForm(rest: string): NameFault | undefined {
  if (/[\s\p{Cc}\p{Cs}]/u.test(rest))
    return fault('is_domain', 'the name must not contain spaces or control characters');
  if (/[:/?#@[\]\\%_*]/.test(rest))
    return fault('is_domain', 'the name must be a domain alone, without scheme, port, path or underscore');
  // Browsers take three other characters for a dot.
  if (/^[.\u3002\uff0e\uff61]|[.\u3002\uff0e\uff61]$|[.\u3002\uff0e\uff61]{2}/.test(rest) || rest === '')
    return fault('is_domain', 'the name must not begin or end with a dot, or have two in a row');
  return undefined;
}

/** Punycode that stands for nothing, or for a name that would be written otherwise, is not what it shows. */
function survivesRoundTrip(host: string): boolean {
  const unicode = domainToUnicode(host);
  return unicode !== '' && !/(?:^|\.)xn--/.test(unicode) && domainToASCII(unicode) === host;
}

/** True for a label such as `pаypal` with a Cyrillic letter: no registry sells it, and only deception needs it. */
const mixesScripts = (label: string): boolean =>
  /\p{Script=Latin}/u.test(label) &&
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(label);

function known(host: string, isWildcard: boolean): DomainName | NameFault {
  const { domain, publicSuffix, isIcann, isPrivate } = parse(host, {
    allowPrivateDomains: true,
    validateHostname: false,
  });
  if (SPECIAL.has(host.slice(host.lastIndexOf('.') + 1)) || (isIcann !== true && isPrivate !== true))
    return fault('is_public', `${host} is not below a public top-level domain`);
  if (domain === null)
    return fault(
      'is_not_public_suffix',
      `${publicSuffix ?? host} is a public suffix, below which others register names`,
    );
  const base = host.startsWith('www.') && host.length > domain.length ? host.slice('www.'.length) : host;
  return {
    ascii: isWildcard ? WILDCARD + host : host,
    host,
    isWildcard,
    isApex: !isWildcard && host === domain,
    base: isWildcard ? host : base,
  };
}

const fault = (code: string, message: string): NameFault => ({ code, message });
