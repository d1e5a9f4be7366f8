import { type DomainName, isFault, readDomainName } from '../../dns/domain-name.js';
import { OrgDomainNameRefused } from '../sso.errors.js';
import { isPublicMailDomain } from './public-mail-domains.js';

/** The names of the service are not refused: its operator may sign in by SSO, and proves them like everybody else. */
const read = (typed: string): ReturnType<typeof readDomainName> => readDomainName(typed, () => false);

/**
 * Reads the name of a domain as a person typed it. One record proves `www.acme.com` and `acme.com`, so that both are
 * the claim to `acme.com`.
 *
 * @throws {OrgDomainNameRefused} `invalid_request`
 */
export function readOrgDomainName(typed: string): string {
  const name = read(typed);
  if (isFault(name)) throw new OrgDomainNameRefused(name);
  if (name.isWildcard) throw new OrgDomainNameRefused(WILDCARD);
  if (isPublicMailDomain(name.base)) throw new OrgDomainNameRefused(publicMailFault(name));
  return name.base;
}

/** Returns the name in the form that is stored, or undefined for one that no organization can have. */
export function storedNameOf(domain: string): string | undefined {
  const name = read(domain);
  return isFault(name) || name.isWildcard ? undefined : name.host;
}

/** Returns the domain of an email address in the form that is stored. Names below it are others. */
export function domainOfAddress(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  return at < 1 ? undefined : storedNameOf(address.slice(at + 1));
}

const WILDCARD = {
  code: 'is_not_wildcard',
  message: 'a claim covers only the domain itself; add each subdomain as a domain of its own',
};

const publicMailFault = ({ base }: DomainName): { code: string; message: string } => ({
  code: 'is_not_public_mail',
  message: `${base} is a public mail provider, whose addresses belong to many people`,
});
