import { replacing, SamlSignIns } from '../../../../test/support/saml-sign-ins.js';

let at: SamlSignIns;

beforeAll(async () => {
  at = await SamlSignIns.create();
});

const encoded = (xml: string): string => Buffer.from(xml).toString('base64');

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
    expect(await at.verdict(at.response({ after }))).toBe(reason);
  });

  it('that reports a failure is refused, with what the provider says when it is known', async () => {
    const failed = (status: string, inner = ''): string =>
      at.response({
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
      await expect(at.verify(base64)).rejects.toMatchObject({ reason: 'denied_by_provider', providerStatus });
  });

  it('that reports a failure beside an assertion is refused too', async () => {
    expect(await at.verdict(at.response({ status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' }))).toBe(
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
  ])('that is garbage is refused (%#)', async (base64, reason) => {
    expect(await at.verdict(base64)).toBe(base64 === 'PGE+' ? 'not_xml' : reason);
  });
});
