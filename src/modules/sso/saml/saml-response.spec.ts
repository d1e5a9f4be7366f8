import { FakeSamlIdp, type SamlForgery, type SamlSignIn } from '../../../../test/support/saml-idp.js';
import { SamlRefused } from './saml-refused.js';
import { type SamlAnswer, type SamlExpectation, verifySamlResponse } from './saml-response.js';

const NOW = new Date('2031-05-06T07:08:09.000Z');
const SP = {
  entityId: 'https://service.test/sign-in/sso/sso_1/metadata',
  acsUrl: 'https://service.test/sign-in/sso/sso_1/acs',
};
const XPATH = 'http://www.w3.org/TR/1999/REC-xpath-19991116';
const XSLT = 'http://www.w3.org/TR/1999/REC-xslt-19991116';
const EXCLUSIVE = '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>';

let idp: FakeSamlIdp;
let other: FakeSamlIdp;

beforeAll(async () => {
  [idp, other] = await Promise.all([FakeSamlIdp.create(undefined, NOW), FakeSamlIdp.create(undefined, NOW)]);
});

const signIn = (changes: Partial<SamlSignIn> = {}): SamlSignIn => ({
  acsUrl: SP.acsUrl,
  audience: SP.entityId,
  inResponseTo: 'svc_flow_1',
  nameId: 'ada',
  attributes: { email: ['ada@acme.test'], groups: ['admins', 'R&D <all>'] },
  now: NOW,
  ...changes,
});
const expectation = (changes: Partial<SamlExpectation> = {}): SamlExpectation => ({
  sp: SP,
  idp: { entityId: idp.entityId, certificates: [idp.certificate] },
  now: NOW,
  ...changes,
});
const verify = (base64: string, changes?: Partial<SamlExpectation>): Promise<SamlAnswer> =>
  verifySamlResponse(base64, expectation(changes));
const forged = (forge: SamlForgery, changes: Partial<SamlSignIn> = {}): string =>
  idp.respond(signIn({ ...changes, forge }));

async function refusal(base64: string, changes?: Partial<SamlExpectation>): Promise<string> {
  try {
    await verify(base64, changes);
    return 'accepted';
  } catch (error) {
    return error instanceof SamlRefused ? error.reason : String(error);
  }
}

const later = (seconds: number): { now: Date } => ({ now: new Date(NOW.getTime() + seconds * 1_000) });
const encoded = (xml: string): string => Buffer.from(xml).toString('base64');
const replacing =
  (from: string | RegExp, to: string): ((xml: string) => string) =>
  (xml) => {
    const changed = xml.replace(from, () => to);
    if (changed === xml) throw new Error(`Nothing to replace: ${String(from)}`);
    return changed;
  };

describe('verifySamlResponse', () => {
  it('returns what the signed assertion says', async () => {
    const answer = await verify(idp.respond(signIn()));
    expect(answer).toEqual({
      inResponseTo: 'svc_flow_1',
      assertionId: expect.stringMatching(/^_/),
      usableUntil: new Date('2031-05-06T07:14:09.000Z'),
      nameId: 'ada',
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      attributes: new Map([
        ['email', ['ada@acme.test']],
        ['groups', ['admins', 'R&D <all>']],
      ]),
      authnInstant: new Date('2031-05-06T07:08:04.000Z'),
      sessionNotOnOrAfter: new Date('2031-05-06T15:08:09.000Z'),
    });
  });

  it.each<[string, SamlForgery]>([
    ['assertions in signed responses', { sign: 'both' }],
    ['RSA-SHA512', { signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512' }],
    ['RSA-PSS', { signatureAlgorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1' }],
    ['SHA-512 digests', { digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha512' }],
    ['inclusive prefixes', { prefixes: ['xs'] }],
    ['an XML declaration', { after: (xml) => `<?xml version="1.0" encoding="UTF-8"?>\n${xml}` }],
    ['a byte order mark', { after: (xml) => `\uFEFF${xml}` }],
    ['line breaks between elements', { before: (xml) => xml.replace(/></g, '>\r\n  <') }],
    ['a response without Destination', { before: replacing(/ Destination="[^"]*"/, '') }],
    ['a response without Issuer', { before: replacing(/<saml:Issuer>[^<]*<\/saml:Issuer>/, '') }],
    ['prefixes of others', { before: (xml) => xml.replace(/samlp:/g, 'p:').replace('xmlns:samlp', 'xmlns:p') }],
    ['names with other characters', { before: replacing('admins', 'Ädmins 管理者 🦊') }],
    [
      'other confirmations beside the one by bearer',
      {
        before: replacing(
          '<saml:SubjectConfirmation ',
          '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"/><saml:SubjectConfirmation ',
        ),
      },
    ],
  ])('accepts %s', async (_, forge) => {
    expect(await refusal(forged(forge))).toBe('accepted');
  });

  it('accepts base64 with line breaks', async () => {
    const base64 = idp.respond(signIn()).replace(/.{76}/g, '$&\r\n');
    expect((await verify(base64)).nameId).toBe('ada');
  });

  it('joins the values of attributes with the same name, and leaves out empty ones and elements', async () => {
    const before = replacing(
      '</saml:AttributeStatement>',
      '<saml:Attribute Name="email"><saml:AttributeValue>ada@b.test</saml:AttributeValue><saml:AttributeValue/>' +
        '<saml:AttributeValue>x<saml:NameID>y</saml:NameID></saml:AttributeValue></saml:Attribute>' +
        '</saml:AttributeStatement>',
    );
    expect((await verify(forged({ before }))).attributes.get('email')).toEqual(['ada@acme.test', 'ada@b.test']);
  });
});

describe('a signature', () => {
  it('must be there, on the assertion', async () => {
    expect(await refusal(forged({ sign: 'none' }))).toBe('assertion_not_signed');
    expect(await refusal(forged({ sign: 'response' }))).toBe('assertion_not_signed');
  });

  it('by another key is refused, even when its certificate is sent along', async () => {
    expect(await refusal(other.respond(signIn()))).toBe('signature_invalid');
  });

  it('of the response by another key is refused, though that of the assertion is right', async () => {
    const after = replacing(/(?<=<saml:Issuer>[^<]*<\/saml:Issuer>)<ds:Signature[^]*?<\/ds:Signature>/, '');
    expect(await refusal(forged({ sign: 'both', after }))).toBe('accepted');
    const tampered = replacing('Version="2.0" IssueInstant="2031', 'Version="2.0" IssueInstant="2030');
    expect(await refusal(forged({ sign: 'both', after: tampered }))).toBe('signature_invalid');
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
          `<ds:Transform Algorithm="${XSLT}"><x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform"/></ds:Transform>`,
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
    expect(await refusal(forged(forge))).toBe(reason);
  });
});

describe('an assertion', () => {
  it.each<[string, string, SamlForgery, Partial<SamlSignIn>?]>([
    ['for another audience', 'wrong_audience', {}, { audience: 'https://other.test' }],
    ['without an audience', 'wrong_audience', { before: replacing(/<saml:Audience>.*<\/saml:Audience>/, '') }],
    [
      'for us and, in a second restriction, for others',
      'wrong_audience',
      {
        before: (xml) =>
          xml.replace(
            '</saml:Conditions>',
            '<saml:AudienceRestriction><saml:Audience>urn:x</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
          ),
      },
    ],
    ['of another issuer', 'wrong_issuer', { issuer: 'https://other-idp.test' }],
    ['in a response of another issuer', 'wrong_issuer', { responseIssuer: 'https://other-idp.test' }],
    ['for another recipient', 'wrong_recipient', { recipient: 'https://other.test/acs' }],
    ['without a recipient', 'wrong_recipient', { before: replacing(/ Recipient="[^"]*"/, '') }],
    ['in a response for another place', 'wrong_destination', { destination: 'https://other.test/acs' }],
    ['that nobody has asked for', 'unsolicited', {}, { inResponseTo: undefined }],
    [
      'that answers another request than its response',
      'in_response_to_mismatch',
      { responseInResponseTo: 'svc_flow_2' },
    ],
    ['without a name', 'assertion_malformed', { before: replacing(/<saml:NameID .*<\/saml:NameID>/, '') }],
    [
      'without a sign-in',
      'assertion_malformed',
      { before: replacing(/<saml:AuthnStatement .*<\/saml:AuthnStatement>/, '') },
    ],
    ['without conditions', 'assertion_malformed', { before: replacing(/<saml:Conditions .*<\/saml:Conditions>/, '') }],
    ['without an end', 'assertion_malformed', { before: replacing(/(?<=Data) NotOnOrAfter="[^"]*"/, '') }],
    ['with times without a zone', 'assertion_malformed', { before: replacing(/(?<=NotBefore="[^"]*)Z"/, '"') }],
    ['by another method than bearer', 'assertion_malformed', { before: replacing('cm:bearer', 'cm:holder-of-key') }],
    [
      'confirmed twice',
      'assertion_malformed',
      { before: (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '$&$&') },
    ],
    [
      'with an unknown condition',
      'condition_not_supported',
      { before: replacing('</saml:Conditions>', '<saml:Condition/></saml:Conditions>') },
    ],
    [
      'of another version of SAML',
      'assertion_malformed',
      { before: replacing(/(?<=<saml:Assertion .*)Version="2.0"/, 'Version="1.1"') },
    ],
    [
      'with elements in the name',
      'assertion_malformed',
      { before: replacing('>ada<', '>ada<x xmlns=""/>.evil.test<') },
    ],
  ])('%s is refused', async (_, reason, forge, changes = {}) => {
    expect(await refusal(forged(forge, changes))).toBe(reason);
  });

  it('is good until its end and a minute more, by the clock that is given', async () => {
    const base64 = idp.respond(signIn());
    expect(await refusal(base64, later(359))).toBe('accepted');
    expect(await refusal(base64, later(360))).toBe('expired');
    expect(await refusal(base64, later(-65))).toBe('accepted');
    expect(await refusal(base64, later(-66))).toBe('not_yet_valid');
  });

  it('ends with the session at the provider', async () => {
    const before = replacing(/SessionNotOnOrAfter="[^"]*"/, 'SessionNotOnOrAfter="2031-05-06T07:07:09Z"');
    expect(await refusal(forged({ before }))).toBe('session_ended');
    expect(await refusal(forged({ before }), later(-1))).toBe('accepted');
  });
});

describe('the certificates of a provider', () => {
  const both = (): Partial<SamlExpectation> => ({
    idp: { entityId: idp.entityId, certificates: [other.certificate, idp.certificate] },
  });

  it('all count while they are listed, and not after', async () => {
    expect(await refusal(idp.respond(signIn()), both())).toBe('accepted');
    expect(await refusal(other.respond(signIn()), both())).toBe('accepted');
    const rotated = { idp: { entityId: idp.entityId, certificates: [other.certificate] } };
    expect(await refusal(idp.respond(signIn()), rotated)).toBe('signature_invalid');
    expect(await refusal(other.respond(signIn()), rotated)).toBe('accepted');
  });

  it('count until they expire', async () => {
    const now = new Date('2041-05-06T07:08:09.000Z');
    const listed = { idp: { entityId: idp.entityId, certificates: [idp.certificate] }, now };
    expect(await refusal(idp.respond(signIn({ now })), listed)).toBe('certificate_expired');
    expect(await refusal(other.respond(signIn({ now })), listed)).toBe('signature_invalid');
    const renewed = await FakeSamlIdp.create(undefined, NOW);
    await renewed.rotate(now);
    const certificates = [idp.certificate, renewed.certificate];
    const both = { idp: { entityId: idp.entityId, certificates }, now };
    expect(await refusal(renewed.respond(signIn({ now })), both)).toBe('accepted');
    expect(await refusal(idp.respond(signIn({ now })), both)).toBe('certificate_expired');
  });
});

describe('a document', () => {
  it.each<[string, string, (xml: string) => string]>([
    ['a document type', 'doctype_not_allowed', (xml) => `<!DOCTYPE a>${xml}`],
    [
      'entities that grow',
      'doctype_not_allowed',
      (xml) => `<!DOCTYPE a [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${xml.replace('>ada<', '>&b;<')}`,
    ],
    [
      'an entity that reads a file',
      'doctype_not_allowed',
      (xml) => `<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xml.replace('>ada<', '>&a;<')}`,
    ],
    ['an unknown entity', 'not_xml', replacing('>ada<', '>&a;<')],
    ['a comment that cuts a name', 'comment_not_allowed', replacing('>ada<', '>ada<!---->.evil.test<')],
    ['a comment elsewhere', 'comment_not_allowed', (xml) => `${xml}<!-- a -->`],
    ['CDATA', 'markup_not_allowed', replacing('>ada<', '><![CDATA[ada]]><')],
    ['a processing instruction', 'markup_not_allowed', replacing('>ada<', '>a<?x y?>da<')],
    ['another encoding', 'not_utf8', (xml) => `<?xml version="1.0" encoding="UTF-16"?>${xml}`],
    ['XML 1.1', 'markup_not_allowed', (xml) => `<?xml version="1.1"?>${xml}`],
    [
      'an encrypted assertion',
      'encryption_not_supported',
      replacing('</samlp:Response>', '<saml:EncryptedAssertion/></samlp:Response>'),
    ],
    [
      'an encrypted name',
      'encryption_not_supported',
      replacing('</samlp:Response>', '<x:EncryptedID xmlns:x="urn:x"/></samlp:Response>'),
    ],
    [
      'no response',
      'not_a_response',
      (xml) =>
        /<saml:Assertion [^]*<\/saml:Assertion>/.exec(
          xml.replace('<saml:Assertion ', '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" '),
        )![0],
    ],
    [
      'a response in another namespace',
      'not_a_response',
      replacing('"urn:oasis:names:tc:SAML:2.0:protocol"', '"urn:x"'),
    ],
    ['no status', 'not_a_response', replacing(/<samlp:Status>.*<\/samlp:Status>/, '')],
    ['no assertion', 'no_assertion', replacing(/<saml:Assertion [^]*<\/saml:Assertion>/, '')],
    [
      'an HTML element, whose content parsers differ about',
      'not_xml',
      replacing('</samlp:Status>', '<script xmlns="http://www.w3.org/1999/xhtml"/></samlp:Status>'),
    ],
    ['a space in an end tag, which parsers differ about', 'not_xml', replacing('</samlp:Status>', '</samlp:Status >')],
    ['text after its end', 'not_xml', (xml) => `${xml}x`],
    ['two roots', 'not_xml', (xml) => `${xml}<a/>`],
    ['an attribute that is there twice', 'not_xml', replacing('Version="2.0"', 'Version="2.0" Version="2.0"')],
    ['an unknown prefix', 'not_xml', replacing('<samlp:Status>', '<samlp:Status x:y="">')],
    ['a control character', 'not_xml', replacing('>ada<', '>a\u0001da<')],
    ['a reference to one', 'not_xml', replacing('>ada<', '>a&#1;da<')],
  ])('with %s is refused', async (_, reason, after) => {
    expect(await refusal(forged({ after }))).toBe(reason);
  });

  it('that reports a failure is refused, with what the provider says when it is known', async () => {
    const failed = (status: string, inner = ''): string =>
      forged({
        sign: 'none',
        before: (xml) =>
          xml
            .replace(/<saml:Assertion .*<\/saml:Assertion>/, '')
            .replace(/<samlp:StatusCode .*\/>/, `<samlp:StatusCode Value="${status}">${inner}</samlp:StatusCode>`),
      });
    const responder = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
    const inner = '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/>';
    for (const [base64, providerStatus] of [
      [failed(responder, inner), 'AuthnFailed'],
      [failed(responder), 'Responder'],
      [failed('urn:x'), undefined],
    ] as const)
      await expect(verify(base64)).rejects.toMatchObject({ reason: 'denied_by_provider', providerStatus });
  });

  it('that reports a failure beside an assertion is refused too', async () => {
    expect(await refusal(forged({ status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' }))).toBe(
      'denied_by_provider',
    );
  });

  it.each([
    ['', 'not_base64'],
    ['%%%', 'not_base64'],
    ['PGE+', 'not_a_response'],
    ['PGEvPg==', 'not_a_response'],
    ['PGEvPg', 'not_base64'],
    ['PGEvPh==', 'not_base64'],
    ['PGEv Pg==', 'not_base64'],
    ['/////w==', 'not_utf8'],
    [encoded('hello'), 'not_xml'],
    [encoded('   '), 'not_xml'],
    [encoded('<a'), 'not_xml'],
    [encoded('<a b="'), 'not_xml'],
    [encoded('<a b'), 'not_xml'],
    [encoded('<a><b></a></b>'), 'not_xml'],
    [encoded('</a>'), 'not_xml'],
    [encoded('<'), 'not_xml'],
    ['A'.repeat(400_000), 'too_large'],
    [Buffer.alloc(300 * 1_024, '<a>').toString('base64'), 'too_large'],
  ])('that is garbage is refused: %.20s', async (base64, reason) => {
    expect(await refusal(base64)).toBe(base64 === 'PGE+' ? 'not_xml' : reason);
  });
});
