import type { SamlForgery, SamlSignIn } from '../../../../test/support/saml-idp.js';
import { replacing, SAML_NOW as NOW, SamlSignIns } from '../../../../test/support/saml-sign-ins.js';
import type { SamlExpectation } from './saml-response.js';

let at: SamlSignIns;
let other: SamlSignIns;

beforeAll(async () => {
  [at, other] = await Promise.all([SamlSignIns.create(), SamlSignIns.create()]);
});

const later = (seconds: number): { now: Date } => ({ now: new Date(NOW.getTime() + seconds * 1_000) });

describe('verifySamlResponse', () => {
  it('returns what the signed assertion says', async () => {
    const answer = await at.verify(at.response());
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
    ['signatures without prefixes', { prefix: '', prefixes: ['xs'] }],
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
          '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"/>' +
            '<saml:SubjectConfirmation ',
        ),
      },
    ],
  ])('accepts %s', async (_, forge) => {
    expect(await at.verdict(at.response(forge))).toBe('accepted');
  });

  it('accepts base64 with line breaks', async () => {
    const base64 = at.response().replace(/.{76}/g, '$&\r\n');
    expect((await at.verify(base64)).nameId).toBe('ada');
  });

  it('joins the values of attributes with the same name, and leaves out empty ones and elements', async () => {
    const before = replacing(
      '</saml:AttributeStatement>',
      '<saml:Attribute Name="email"><saml:AttributeValue>ada@b.test</saml:AttributeValue><saml:AttributeValue/>' +
        '<saml:AttributeValue>x<saml:NameID>y</saml:NameID></saml:AttributeValue></saml:Attribute>' +
        '</saml:AttributeStatement>',
    );
    expect((await at.verify(at.response({ before }))).attributes.get('email')).toEqual(['ada@acme.test', 'ada@b.test']);
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
            '<saml:AudienceRestriction><saml:Audience>urn:x</saml:Audience></saml:AudienceRestriction>' +
              '</saml:Conditions>',
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
    [
      'with times without a zone',
      'assertion_malformed',
      { before: replacing(/NotBefore="[^"]*"/, 'NotBefore="2031-05-06T07:03:09"') },
    ],
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
      {
        before: replacing(
          /Version="2.0"(?= IssueInstant="[^"]*"><saml:Issuer>[^<]*<\/saml:Issuer><saml:Subject>)/,
          'Version="1.1"',
        ),
      },
    ],
    [
      'with elements in the name',
      'assertion_malformed',
      { before: replacing('>ada<', '>ada<x xmlns=""/>.evil.test<') },
    ],
  ])('%s is refused', async (_, reason, forge, changes = {}) => {
    expect(await at.verdict(at.response(forge, changes))).toBe(reason);
  });

  it('is good until its end and a minute more, by the clock that is given', async () => {
    const base64 = at.response();
    expect(await at.verdict(base64, later(359))).toBe('accepted');
    expect(await at.verdict(base64, later(360))).toBe('expired');
    expect(await at.verdict(base64, later(-65))).toBe('accepted');
    expect(await at.verdict(base64, later(-66))).toBe('not_yet_valid');
  });

  it('ends with the session at the provider', async () => {
    const before = replacing(/SessionNotOnOrAfter="[^"]*"/, 'SessionNotOnOrAfter="2031-05-06T07:07:09Z"');
    expect(await at.verdict(at.response({ before }))).toBe('session_ended');
    expect(await at.verdict(at.response({ before }), later(-1))).toBe('accepted');
  });
});

describe('the certificates of a provider', () => {
  const listing = (...providers: readonly SamlSignIns[]): Pick<SamlExpectation, 'idp'> => ({
    idp: { entityId: at.idp.entityId, certificates: providers.map(({ idp }) => idp.certificate) },
  });

  it('all count while they are listed, and not after', async () => {
    expect(await at.verdict(at.response(), listing(other, at))).toBe('accepted');
    expect(await at.verdict(other.response(), listing(other, at))).toBe('accepted');
    expect(await at.verdict(at.response(), listing(other))).toBe('signature_invalid');
    expect(await at.verdict(other.response(), listing(other))).toBe('accepted');
  });

  it('count until they expire', async () => {
    const now = new Date('2041-05-06T07:08:09.000Z');
    const renewed = await SamlSignIns.create();
    await renewed.idp.rotate(now);
    expect(await at.verdict(at.response({}, { now }), { ...listing(at), now })).toBe('certificate_expired');
    expect(await at.verdict(other.response({}, { now }), { ...listing(at), now })).toBe('signature_invalid');
    expect(await at.verdict(renewed.response({}, { now }), { ...listing(at, renewed), now })).toBe('accepted');
    expect(await at.verdict(at.response({}, { now }), { ...listing(at, renewed), now })).toBe('certificate_expired');
  });
});
