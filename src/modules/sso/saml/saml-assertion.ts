import { ASSERTION, NAME_ID_FORMATS } from './saml-names.js';
import { SamlRefused } from './saml-refused.js';
import type { XmlElement } from './xml/xml-element.js';

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:Z|[+-]\d\d:\d\d)$/;
/** Conditions that ask for nothing which is not done for every assertion. Unknown ones must not be ignored. */
const CONDITIONS: ReadonlySet<string> = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);
const MAX_ID = 256;

export interface Period {
  readonly notBefore: Date | undefined;
  readonly notOnOrAfter: Date;
}

/** What an assertion says. */
export interface SamlAssertion {
  readonly id: string;
  readonly issuer: string;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly confirmation: Period & { readonly recipient: string | undefined; readonly inResponseTo: string | undefined };
  readonly conditions: Period & { readonly audiences: readonly (readonly string[])[] };
  readonly authnInstant: Date;
  readonly sessionNotOnOrAfter: Date | undefined;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads an assertion of a sign-in in a browser (SAML profiles, 4.1.4.2). It checks that all is there and can be read,
 * and compares nothing.
 *
 * @throws {SamlRefused} `assertion_malformed`, `condition_not_supported`
 */
export function readAssertion(assertion: XmlElement): SamlAssertion {
  const id = assertion.attribute('ID') ?? '';
  const issuer = only(assertion, 'Issuer').text ?? '';
  if (assertion.attribute('Version') !== '2.0' || id === '' || id.length > MAX_ID) throw malformed();
  instantOf(assertion, 'IssueInstant');
  const subject = only(assertion, 'Subject');
  const nameId = only(subject, 'NameID');
  if (nameId.text === undefined) throw malformed();
  return {
    id,
    issuer,
    nameId: nameId.text,
    nameIdFormat: nameId.attribute('Format') ?? NAME_ID_FORMATS.unspecified,
    confirmation: confirmationOf(subject),
    conditions: conditionsOf(only(assertion, 'Conditions')),
    ...sessionOf(assertion.all(ASSERTION, 'AuthnStatement')),
    attributes: attributesOf(assertion),
  };
}

/** Confirmations by other methods prove nothing here, and two by this one would leave open which is meant. */
function confirmationOf(subject: XmlElement): SamlAssertion['confirmation'] {
  const bearers = subject
    .all(ASSERTION, 'SubjectConfirmation')
    .filter((confirmation) => confirmation.attribute('Method') === BEARER);
  if (bearers.length !== 1) throw malformed();
  const data = only(bearers[0]!, 'SubjectConfirmationData');
  return { ...periodOf(data), recipient: data.attribute('Recipient'), inResponseTo: data.attribute('InResponseTo') };
}

function conditionsOf(conditions: XmlElement): SamlAssertion['conditions'] {
  const isKnown = ({ namespace, localName }: XmlElement): boolean =>
    namespace === ASSERTION && CONDITIONS.has(localName);
  if (!conditions.elements.every(isKnown)) throw new SamlRefused('condition_not_supported');
  const audiences = conditions
    .all(ASSERTION, 'AudienceRestriction')
    .map((restriction) => restriction.all(ASSERTION, 'Audience').map(({ text }) => text ?? ''));
  return { ...periodOf(conditions), audiences };
}

/** Without a statement on how the person signed in, an assertion only says something about them. */
function sessionOf(statements: readonly XmlElement[]): Pick<SamlAssertion, 'authnInstant' | 'sessionNotOnOrAfter'> {
  if (statements.length === 0) throw malformed();
  const instants = statements.map((statement) => instantOf(statement, 'AuthnInstant'));
  const ends = statements
    .filter((statement) => statement.attribute('SessionNotOnOrAfter') !== undefined)
    .map((statement) => instantOf(statement, 'SessionNotOnOrAfter'));
  return { authnInstant: earliest(instants)!, sessionNotOnOrAfter: earliest(ends) };
}

/** Values with elements of their own are left out: no text stands for them. */
function attributesOf(assertion: XmlElement): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const attributes = assertion
    .all(ASSERTION, 'AttributeStatement')
    .flatMap((statement) => statement.all(ASSERTION, 'Attribute'));
  for (const attribute of attributes) {
    const name = attribute.attribute('Name') ?? '';
    const values = attribute.all(ASSERTION, 'AttributeValue').map(({ text }) => text ?? '');
    const known = found.get(name) ?? [];
    for (const value of values) if (value !== '') known.push(value);
    found.set(name, known);
  }
  return found;
}

function periodOf(element: XmlElement): Period {
  const notBefore = element.attribute('NotBefore') === undefined ? undefined : instantOf(element, 'NotBefore');
  return { notBefore, notOnOrAfter: instantOf(element, 'NotOnOrAfter') };
}

function instantOf(element: XmlElement, name: string): Date {
  const instant = readInstant(element.attribute(name) ?? '');
  if (instant === undefined) throw malformed();
  return instant;
}

/** A time with its zone; undefined for what is none. */
export function readInstant(text: string): Date | undefined {
  const milliseconds = INSTANT.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds);
}

const earliest = (instants: readonly Date[]): Date | undefined =>
  instants.length === 0 ? undefined : new Date(Math.min(...instants.map(Number)));

function only(parent: XmlElement, localName: string): XmlElement {
  const [found, ...others] = parent.all(ASSERTION, localName);
  if (found === undefined || others.length > 0) throw malformed();
  return found;
}

const malformed = (): SamlRefused => new SamlRefused('assertion_malformed');
