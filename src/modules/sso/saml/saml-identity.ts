import { emailOf, nameOf } from '../../identities/provider-fields.js';
import { groupsAmong, isClean, MAX_SUBJECT } from '../identities/identity-texts.js';
import { NAME_ID_FORMATS } from './saml-names.js';
import { SamlRefused } from './saml-refused.js';
import type { SamlAnswer } from './saml-response.js';

/** Formats of names that stay the same for a person. */
const LASTING_FORMATS: ReadonlySet<string> = new Set([
  NAME_ID_FORMATS.persistent,
  NAME_ID_FORMATS.emailAddress,
  NAME_ID_FORMATS.unspecified,
]);

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const MICROSOFT_CLAIMS = 'http://schemas.microsoft.com';

/** Attributes by which common providers call these things, in small letters. */
const WELL_KNOWN = {
  email: ['email', 'mail', 'emailaddress', `${CLAIMS}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3'],
  displayName: ['displayname', `${MICROSOFT_CLAIMS}/identity/claims/displayname`, 'urn:oid:2.16.840.1.113730.3.1.241'],
  givenName: ['givenname', 'firstname', `${CLAIMS}/givenname`, 'urn:oid:2.5.4.42'],
  surname: ['surname', 'sn', 'lastname', `${CLAIMS}/surname`, 'urn:oid:2.5.4.4'],
  groups: [
    'groups',
    'memberof',
    `${MICROSOFT_CLAIMS}/ws/2008/06/identity/claims/groups`,
    'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
  ],
} as const;

/** Names of attributes that an administrator has chosen. One that is chosen replaces the well-known ones. */
export interface AttributeMapping {
  readonly subject?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly groups?: string | undefined;
}

/** Who a person is at the provider of a connection. */
export interface SamlIdentity {
  /** The connection: what a provider says of a person is worth nothing in another one. */
  readonly issuer: string;
  readonly connectionId: string;
  readonly subject: string;
  readonly name: string;
  /** A text to derive a username from. */
  readonly username: string;
  /** That a provider names it proves nothing: the domains of the organization say what it may speak for. */
  readonly email?: { readonly address: string; readonly verified: false };
  readonly groups: readonly string[];
}

/**
 * Returns whom an answer is about.
 *
 * @throws {SamlRefused} `transient_subject`, `subject_format_not_supported`, `no_subject`
 */
export function samlIdentityOf(answer: SamlAnswer, mapping: AttributeMapping, connectionId: string): SamlIdentity {
  const subject = subjectOf(answer, mapping);
  const email = addressOf(answer, mapping);
  const name = displayNameOf(answer, mapping);
  return {
    issuer: connectionId,
    connectionId,
    subject,
    name: nameOf(name, email, subject),
    username: nameOf(email?.split('@')[0], name, subject),
    ...(email === undefined ? {} : { email: { address: email, verified: false } }),
    groups: groupsAmong(valuesOf(answer, WELL_KNOWN.groups, mapping.groups)),
  };
}

/** The subject is compared and never cleaned: cleaned, two people could become one. */
function subjectOf({ nameId, nameIdFormat, attributes }: SamlAnswer, mapping: AttributeMapping): string {
  const [subject, ...others] = mapping.subject === undefined ? [nameId] : (attributes.get(mapping.subject) ?? []);
  if (mapping.subject === undefined) {
    if (nameIdFormat === NAME_ID_FORMATS.transient) throw new SamlRefused('transient_subject');
    if (!LASTING_FORMATS.has(nameIdFormat)) throw new SamlRefused('subject_format_not_supported');
  }
  if (subject === undefined || others.length > 0 || !isClean(subject) || subject.length > MAX_SUBJECT)
    throw new SamlRefused('no_subject');
  return subject;
}

function addressOf(answer: SamlAnswer, mapping: AttributeMapping): string | undefined {
  const fromName = answer.nameIdFormat === NAME_ID_FORMATS.emailAddress ? [answer.nameId] : [];
  const candidates = [...valuesOf(answer, WELL_KNOWN.email, mapping.email), ...(mapping.email ? [] : fromName)];
  return candidates.find((each) => emailOf(each, false) !== undefined);
}

function displayNameOf(answer: SamlAnswer, mapping: AttributeMapping): string | undefined {
  const [name] = valuesOf(answer, WELL_KNOWN.displayName, mapping.name);
  if (name !== undefined) return name;
  const parts = [WELL_KNOWN.givenName, WELL_KNOWN.surname].flatMap((names) => valuesOf(answer, names).slice(0, 1));
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** The values of the chosen attribute, or else of the first well-known one that has any. */
function valuesOf({ attributes }: SamlAnswer, wellKnown: readonly string[], chosen?: string): readonly string[] {
  if (chosen !== undefined) return attributes.get(chosen) ?? [];
  const bySmallName = new Map([...attributes].map(([name, values]) => [name.toLowerCase(), values]));
  return wellKnown.map((name) => bySmallName.get(name) ?? []).find(({ length }) => length > 0) ?? [];
}
