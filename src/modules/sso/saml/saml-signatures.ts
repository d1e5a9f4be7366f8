import { SIGNATURE } from './saml-names.js';
import { SamlRefused } from './saml-refused.js';
import { SIGNATURE_METHODS } from './signature-methods.js';
import type { XmlElement } from './xml/xml-element.js';

const DIGEST_METHODS: ReadonlySet<string | undefined> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
/** No document with a comment gets here, so that the two forms are the same. */
const CANONICALIZATIONS: ReadonlySet<string | undefined> = new Set([EXCLUSIVE, `${EXCLUSIVE}WithComments`]);

const NC_NAME = /^[A-Za-z_][\w.-]{0,255}$/;

/**
 * Requires that the assertion has a signature, and that every signature is of the one form that SAML needs: a child of
 * the response or the assertion, over that element as a whole, by known algorithms. It verifies none.
 *
 * @returns the signatures: that of the assertion, and perhaps that of the response
 * @throws {SamlRefused}
 */
export function soundSignatures(response: XmlElement, assertion: XmlElement): XmlElement[] {
  const signatures = [...response.subtree()].filter(({ localName }) => localName === 'Signature');
  const parents = signatures.map(({ parent }) => parent);
  if (parents.some((parent) => parent !== response && parent !== assertion))
    throw new SamlRefused('signature_misplaced');
  if (new Set(parents).size !== parents.length) throw new SamlRefused('signature_malformed');
  if (!parents.includes(assertion)) throw new SamlRefused('assertion_not_signed');
  for (const signature of signatures) requireSoundSignature(signature);
  return signatures;
}

function requireSoundSignature(signature: XmlElement): void {
  if (!signature.is(SIGNATURE, 'Signature')) throw new SamlRefused('signature_malformed');
  // The library finds parts of a signature by their local names, wherever they are: so nothing may be anywhere else.
  const [info, value, ...rest] = signature.elements;
  requirePart(info, 'SignedInfo');
  requireText(value, 'SignatureValue');
  if (rest.length > 1) throw new SamlRefused('signature_malformed');
  for (const part of rest) requirePart(part, 'KeyInfo');

  const [canonicalization, method, reference, ...others] = info.elements;
  requireEmpty(canonicalization, 'CanonicalizationMethod');
  requireEmpty(method, 'SignatureMethod');
  if (others.length > 0) throw new SamlRefused('reference_not_allowed');
  requirePart(reference, 'Reference');
  if (!CANONICALIZATIONS.has(canonicalization.attribute('Algorithm'))) throw new SamlRefused('algorithm_not_allowed');
  if (!SIGNATURE_METHODS.has(method.attribute('Algorithm') ?? '')) throw new SamlRefused('algorithm_not_allowed');
  requireSoundReference(reference, signature.parent?.attribute('ID'));
}

function requireSoundReference(reference: XmlElement, parentId: string | undefined): void {
  if (parentId === undefined || !NC_NAME.test(parentId) || reference.attribute('URI') !== `#${parentId}`)
    throw new SamlRefused('reference_not_allowed');
  const [transforms, method, value, ...others] = reference.elements;
  if (transforms?.is(SIGNATURE, 'Transforms') !== true) throw new SamlRefused('transform_not_allowed');
  requireEmpty(method, 'DigestMethod');
  requireText(value, 'DigestValue');
  if (others.length > 0) throw new SamlRefused('signature_malformed');
  if (!DIGEST_METHODS.has(method.attribute('Algorithm'))) throw new SamlRefused('algorithm_not_allowed');
  requireSoundTransforms(transforms);
}

/** The signature itself is left out, and the rest is canonicalized, in this order. */
function requireSoundTransforms({ elements }: XmlElement): void {
  const [enveloped, exclusive, ...others] = elements;
  const isSound =
    others.length === 0 &&
    isTransform(enveloped) &&
    enveloped.attribute('Algorithm') === ENVELOPED &&
    isTransform(exclusive) &&
    CANONICALIZATIONS.has(exclusive.attribute('Algorithm'));
  if (!isSound) throw new SamlRefused('transform_not_allowed');
}

/** Prefixes that are kept are the only parameter. Some providers also write it where it has no effect. */
const isTransform = (transform: XmlElement | undefined): transform is XmlElement =>
  transform?.is(SIGNATURE, 'Transform') === true &&
  transform.elements.length <= 1 &&
  transform.elements.every((each) => each.localName === 'InclusiveNamespaces' && each.elements.length === 0);

function requirePart(part: XmlElement | undefined, name: string): asserts part is XmlElement {
  if (part?.is(SIGNATURE, name) !== true) throw new SamlRefused('signature_malformed');
}

function requireText(part: XmlElement | undefined, name: string): asserts part is XmlElement {
  requirePart(part, name);
  if (part.text === undefined) throw new SamlRefused('signature_malformed');
}

function requireEmpty(part: XmlElement | undefined, name: string): asserts part is XmlElement {
  requirePart(part, name);
  if (part.elements.length > 0) throw new SamlRefused('signature_malformed');
}
