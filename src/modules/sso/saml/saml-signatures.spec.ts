import type { SamlForgery } from '../../../../test/support/saml-idp.js';
import { replacing, SamlSignIns } from '../../../../test/support/saml-sign-ins.js';

const XPATH = 'http://www.w3.org/TR/1999/REC-xpath-19991116';
const XSLT = 'http://www.w3.org/TR/1999/REC-xslt-19991116';
const EXCLUSIVE = '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>';

let at: SamlSignIns;
let other: SamlSignIns;

beforeAll(async () => {
  [at, other] = await Promise.all([SamlSignIns.create(), SamlSignIns.create()]);
});

describe('a signature', () => {
  it('must be there, on the assertion', async () => {
    expect(await at.verdict(at.response({ sign: 'none' }))).toBe('assertion_not_signed');
    expect(await at.verdict(at.response({ sign: 'response' }))).toBe('assertion_not_signed');
  });

  it('by another key is refused, even when its certificate is sent along', async () => {
    expect(await at.verdict(other.response())).toBe('signature_invalid');
  });

  it('of the response by another key is refused, though that of the assertion is right', async () => {
    const after = replacing(/(?<=<saml:Issuer>[^<]*<\/saml:Issuer>)<ds:Signature[^]*?<\/ds:Signature>/, '');
    expect(await at.verdict(at.response({ sign: 'both', after }))).toBe('accepted');
    const tampered = replacing('Version="2.0" IssueInstant="2031', 'Version="2.0" IssueInstant="2030');
    expect(await at.verdict(at.response({ sign: 'both', after: tampered }))).toBe('signature_invalid');
  });

  it.each<[string, string, SamlForgery]>([
    ['a changed attribute', 'signature_invalid', { after: replacing('>admins<', '>owners<') }],
    ['a changed name', 'signature_invalid', { after: replacing('>ada<', '>eve<') }],
    ['HMAC with the certificate as its key', 'algorithm_not_allowed', { hmac: true }],
    [
      'SHA-1 in the signature',
      'algorithm_not_allowed',
      { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
    ],
    ['SHA-1 in the digest', 'algorithm_not_allowed', { digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' }],
    [
      'inclusive canonicalization of the signature',
      'algorithm_not_allowed',
      {
        after: replacing(
          '<ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"',
          '<ds:CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"',
        ),
      },
    ],
    [
      'inclusive canonicalization of the assertion',
      'transform_not_allowed',
      {
        transforms: [
          'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
          'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
        ],
      },
    ],
    [
      'no canonicalization',
      'transform_not_allowed',
      { transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature'] },
    ],
    [
      'XPath as a transform',
      'transform_not_allowed',
      {
        after: replacing(
          EXCLUSIVE,
          `<ds:Transform Algorithm="${XPATH}"><ds:XPath>//saml:Issuer</ds:XPath></ds:Transform>${EXCLUSIVE}`,
        ),
      },
    ],
    [
      'XSLT as a transform',
      'transform_not_allowed',
      {
        after: replacing(
          EXCLUSIVE,
          `<ds:Transform Algorithm="${XSLT}">` +
            `<x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform"/></ds:Transform>`,
        ),
      },
    ],
    ['no transforms', 'transform_not_allowed', { after: replacing(/<ds:Transforms>[^]*<\/ds:Transforms>/, '') }],
    ['an empty reference', 'reference_not_allowed', { emptyUri: true }],
    ['a reference to another element', 'reference_not_allowed', { after: replacing(/URI="#[^"]*"/, 'URI="#_x"') }],
    ['no URI in the reference', 'reference_not_allowed', { after: replacing(/ URI="#[^"]*"/, '') }],
    [
      'two references',
      'reference_not_allowed',
      { after: (xml) => xml.replace(/<ds:Reference[^]*<\/ds:Reference>/, '$&$&') },
    ],
    [
      'two descriptions of what is signed',
      'signature_malformed',
      { after: (xml) => xml.replace(/<ds:SignedInfo>[^]*<\/ds:SignedInfo>/, '$&$&') },
    ],
    [
      'two signatures in one place',
      'signature_malformed',
      { after: (xml) => xml.replace(/<ds:Signature [^]*<\/ds:Signature>/, '$&$&') },
    ],
    [
      'elements in the digest',
      'signature_malformed',
      { after: replacing('</ds:DigestValue>', '<a/></ds:DigestValue>') },
    ],
    ['an object', 'signature_malformed', { after: replacing('</ds:Signature>', '<ds:Object/></ds:Signature>') }],
    [
      'a namespace that is not that of signatures',
      'signature_malformed',
      { after: replacing('xmlns:ds="http://www.w3.org/2000/09/xmldsig#"', 'xmlns:ds="urn:ds"') },
    ],
    [
      'a place elsewhere in the document',
      'signature_misplaced',
      {
        after: (xml) => {
          const [signature = ''] = /<ds:Signature [^]*<\/ds:Signature>/.exec(xml) ?? [];
          return xml.replace(signature, '').replace('</samlp:Status>', () => `${signature}</samlp:Status>`);
        },
      },
    ],
    [
      'an ID that is there twice',
      'duplicate_id',
      { after: (xml) => xml.replace('<samlp:Status>', `<samlp:Status Id="${/URI="#([^"]*)"/.exec(xml)![1]}">`) },
    ],
  ])('with %s is refused', async (_, reason, forge) => {
    expect(await at.verdict(at.response(forge))).toBe(reason);
  });
});
