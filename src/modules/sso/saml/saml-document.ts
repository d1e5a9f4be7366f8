import { ASSERTION, PROTOCOL } from './saml-names.js';
import { type SamlReason, SamlRefused } from './saml-refused.js';
import { readXml, type XmlFault, XmlRefused } from './xml/read-xml.js';
import type { XmlElement } from './xml/xml-element.js';

const MAX_BYTES = 262_144;
/** The library takes a fifth of a millisecond for each. A person in a thousand groups has half as many. */
const MAX_ELEMENTS = 2_500;
/** Base64 of a response, with line breaks. */
const MAX_ENCODED = Math.ceil(MAX_BYTES / 3) * 4 + 10_000;

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';
/** What a refused sign-in can be (SAML core, 3.2.2.2). Other text of a provider is not repeated. */
const KNOWN_STATUS: ReadonlySet<string> = new Set([
  'AuthnFailed',
  'InvalidNameIDPolicy',
  'NoAuthnContext',
  'NoAvailableIDP',
  'NoPassive',
  'NoSupportedIDP',
  'ProxyCountExceeded',
  'RequestDenied',
  'RequestUnsupported',
  'RequestVersionDeprecated',
  'RequestVersionTooHigh',
  'RequestVersionTooLow',
  'Requester',
  'Responder',
  'UnknownPrincipal',
  'UnsupportedBinding',
  'VersionMismatch',
]);

const REASONS: Readonly<Record<XmlFault, SamlReason>> = {
  malformed: 'not_xml',
  encoding: 'not_utf8',
  doctype: 'doctype_not_allowed',
  comment: 'comment_not_allowed',
  markup: 'markup_not_allowed',
  too_complex: 'too_complex',
};

export interface SamlDocument {
  /** The text that was read, so that the library verifies the same and not another decoding of it. */
  readonly xml: string;
  readonly response: XmlElement;
  readonly assertion: XmlElement;
}

/**
 * Reads a response with one assertion, before any signature is looked at. Nothing in it may be believed yet. That there
 * is one `Response` and one `Assertion`, by whatever namespace, is what makes wrapping a signed one pointless.
 *
 * @throws {SamlRefused}
 */
export function readSamlDocument(base64: string): SamlDocument {
  const xml = decoded(base64);
  const response = parseSaml(xml);
  const all = [...response.subtree()];
  if (!response.is(PROTOCOL, 'Response') || response.attribute('Version') !== '2.0')
    throw new SamlRefused('not_a_response');
  if (all.filter(({ localName }) => localName === 'Response').length > 1) throw new SamlRefused('several_responses');
  requireUniqueIds(all);
  requireSuccess(response);
  return { xml, response, assertion: onlyAssertion(response, all) };
}

/** @throws {SamlRefused} */
export function parseSaml(xml: string): XmlElement {
  try {
    return readXml(xml, { allowComments: false, maxElements: MAX_ELEMENTS });
  } catch (error) {
    throw error instanceof XmlRefused ? new SamlRefused(REASONS[error.fault]) : error;
  }
}

function decoded(base64: string): string {
  if (base64.length > MAX_ENCODED) throw new SamlRefused('too_large');
  // Some providers break the lines. Apart from that, only the one canonical encoding of the bytes is read.
  const joined = base64.replace(/\r?\n/g, '');
  const bytes = Buffer.from(joined, 'base64');
  if (bytes.length > MAX_BYTES) throw new SamlRefused('too_large');
  if (bytes.length === 0 || bytes.toString('base64') !== joined) throw new SamlRefused('not_base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlRefused('not_utf8');
  }
}

/** Every attribute counts that some parser may take for an ID, in all namespaces. */
function requireUniqueIds(all: readonly XmlElement[]): void {
  const seen = new Set<string>();
  const ids = all.flatMap(({ attributes }) => attributes.filter(({ localName }) => localName.toLowerCase() === 'id'));
  for (const { value } of ids) {
    if (seen.has(value)) throw new SamlRefused('duplicate_id');
    seen.add(value);
  }
}

function requireSuccess(response: XmlElement): void {
  const [status, ...others] = response.all(PROTOCOL, 'Status');
  const [code] = status?.all(PROTOCOL, 'StatusCode') ?? [];
  if (code === undefined || others.length > 0) throw new SamlRefused('not_a_response');
  if (code.attribute('Value') === `${STATUS}Success`) return;
  const names = [...code.all(PROTOCOL, 'StatusCode'), code]
    .map((each) => each.attribute('Value') ?? '')
    .filter((value) => value.startsWith(STATUS))
    .map((value) => value.slice(STATUS.length));
  throw new SamlRefused(
    'denied_by_provider',
    names.find((name) => KNOWN_STATUS.has(name)),
  );
}

function onlyAssertion(response: XmlElement, all: readonly XmlElement[]): XmlElement {
  if (all.some(({ localName }) => localName.startsWith('Encrypted'))) throw new SamlRefused('encryption_not_supported');
  const [assertion, ...others] = all.filter(({ localName }) => localName === 'Assertion');
  if (assertion === undefined) throw new SamlRefused('no_assertion');
  if (others.length > 0) throw new SamlRefused('several_assertions');
  if (!assertion.is(ASSERTION, 'Assertion') || assertion.parent !== response)
    throw new SamlRefused('assertion_misplaced');
  return assertion;
}
