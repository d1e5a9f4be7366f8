import { SignedXml } from 'xml-crypto';
import type { SamlForgery } from '../../../../test/support/saml-idp.js';
import { SamlSignIns } from '../../../../test/support/saml-sign-ins.js';

const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';

let at: SamlSignIns;

beforeAll(async () => {
  at = await SamlSignIns.create();
});

/** The parts of a signed response that attacks put together in another way (Somorovsky et al., 2012). */
interface Parts {
  readonly signed: string;
  /** The assertion with its signature, without it, and the signature alone. */
  readonly assertion: string;
  readonly bare: string;
  readonly signature: string;
  /** An assertion of another person, with another ID. */
  readonly evil: string;
}

function partsOf(signed: string): Parts {
  const [assertion] = /<saml:Assertion [^]*<\/saml:Assertion>/.exec(signed)!;
  const [signature] = /<ds:Signature [^]*?<\/ds:Signature>/.exec(assertion)!;
  const bare = assertion.replace(signature, '');
  const evil = bare.replace('>ada<', '>eve<').replace(/ID="[^"]*"/, 'ID="_evil"');
  return { signed, assertion, signature, bare, evil };
}

const inside = (outer: string, inner: string): string =>
  outer.replace('</saml:Issuer>', () => `</saml:Issuer>${inner}`);
const evilResponse = (xml: string): string =>
  xml
    .replace(/ ID="[^"]*"/, ' ID="_evil"')
    .replace('>ada<', '>eve<')
    .replace(/(?<=<saml:Assertion [^>]*ID=")[^"]*/, '_evil2');
const object = (content: string): string => `<ds:Object>${content}</ds:Object>`;

describe('wrapping', () => {
  it.each<[string, string, (parts: Parts) => string]>([
    [
      'XSW3: a forged assertion before the signed one',
      'several_assertions',
      ({ signed, assertion, evil }) => signed.replace(assertion, () => evil + assertion),
    ],
    [
      'a forged assertion after the signed one',
      'several_assertions',
      ({ signed, assertion, evil }) => signed.replace(assertion, () => assertion + evil),
    ],
    [
      'XSW4: a forged assertion around the signed one',
      'several_assertions',
      ({ signed, assertion, evil }) => signed.replace(assertion, () => inside(evil, assertion)),
    ],
    [
      'XSW5: the signature in a forged assertion, the signed one at the end',
      'several_assertions',
      ({ signed, assertion, signature, bare, evil }) =>
        signed
          .replace(assertion, () => inside(evil, signature))
          .replace('</samlp:Response>', () => `${bare}</samlp:Response>`),
    ],
    [
      'XSW6: the signature in a forged assertion, the signed one in the signature',
      'several_assertions',
      ({ signed, assertion, signature, bare, evil }) =>
        signed.replace(assertion, () =>
          inside(
            evil,
            signature.replace('</ds:Signature>', () => `${bare}</ds:Signature>`),
          ),
        ),
    ],
    [
      'XSW7: the forged assertion in extensions',
      'several_assertions',
      ({ signed, assertion, evil }) =>
        signed.replace(assertion, () => `<samlp:Extensions>${evil}</samlp:Extensions>${assertion}`),
    ],
    [
      'XSW8: the signed assertion in an object of the signature of a forged one',
      'several_assertions',
      ({ signed, assertion, signature, bare, evil }) =>
        signed.replace(assertion, () =>
          inside(
            evil,
            signature.replace('</ds:Signature>', () => `${object(bare)}</ds:Signature>`),
          ),
        ),
    ],
    [
      'the signed assertion in extensions, and no other',
      'assertion_misplaced',
      ({ signed, assertion }) => signed.replace(assertion, () => `<samlp:Extensions>${assertion}</samlp:Extensions>`),
    ],
    [
      'a forged assertion of another namespace',
      'several_assertions',
      ({ signed, assertion, evil }) =>
        signed.replace(assertion, () => evil.replace(/saml:Assertion/g, 'Assertion') + assertion),
    ],
    [
      'the signed assertion under another name',
      'signature_misplaced',
      ({ signed, assertion, evil }) =>
        signed.replace(assertion, () => evil + assertion.replace(/saml:Assertion/g, 'saml:Advice')),
    ],
    [
      'the signature of the signed assertion in a forged one',
      'reference_not_allowed',
      ({ signed, assertion, signature, evil }) => signed.replace(assertion, () => inside(evil, signature)),
    ],
    [
      'the signature and the ID of the signed assertion in a forged one',
      'signature_invalid',
      ({ signed, assertion, signature, evil }) =>
        signed.replace(assertion, () =>
          inside(evil.replace('_evil', /URI="#([^"]*)"/.exec(signature)![1]!), signature),
        ),
    ],
    [
      'the signed assertion below one with the same ID',
      'duplicate_id',
      ({ signed, assertion, evil }) =>
        signed.replace(assertion, () => inside(evil.replace('_evil', / ID="([^"]*)"/.exec(assertion)![1]!), assertion)),
    ],
    [
      'a response in a response',
      'several_responses',
      ({ signed }) => signed.replace('</samlp:Response>', () => `${signed}</samlp:Response>`),
    ],
    [
      'the signed response in an element of another name',
      'not_a_response',
      ({ signed }) => `<samlp:ArtifactResponse ${NAMESPACES} Version="2.0">${signed}</samlp:ArtifactResponse>`,
    ],
  ])('%s', async (_, reason, wrap) => {
    const forged: SamlForgery = { after: (xml) => wrap(partsOf(xml)) };
    expect(await at.verdict(at.response(forged))).toBe(reason);
  });

  it.each<[string, (signed: string, signature: string) => string]>([
    [
      'XSW1: the signed response in the signature of a forged one',
      (signed, signature) =>
        evilResponse(
          signed.replace(signature, () =>
            signature.replace('</ds:Signature>', () => `${object(signed.replace(signature, ''))}</ds:Signature>`),
          ),
        ),
    ],
    [
      'XSW2: the signed response before its signature in a forged one',
      (signed, signature) => evilResponse(signed.replace(signature, () => signed.replace(signature, '') + signature)),
    ],
  ])('%s', async (_, wrap) => {
    const after = (xml: string): string =>
      wrap(xml, /(?<=<saml:Issuer>[^<]*<\/saml:Issuer>)<ds:Signature [^]*?<\/ds:Signature>/.exec(xml)![0]);
    expect(await at.verdict(at.response({ sign: 'both', after }))).toBe('several_responses');
  });

  it('starts from responses that a lenient check takes: the signature in them is right', () => {
    const { signed, signature } = partsOf(Buffer.from(at.response(), 'base64').toString());
    const check = new SignedXml({ publicCert: at.idp.certificate });
    check.loadSignature(signature);
    expect(check.checkSignature(signed.replace('</samlp:Response>', '<saml:Evil/></samlp:Response>'))).toBe(true);
  });
});
