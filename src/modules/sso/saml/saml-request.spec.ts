import { verify } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { ASSERTION, PROTOCOL } from './saml-names.js';
import { createSamlKey, type SamlKey } from './saml-key.js';
import { authnRequestUrl } from './saml-request.js';
import { readXml } from './xml/read-xml.js';
import type { XmlElement } from './xml/xml-element.js';

const NOW = new Date('2031-05-06T07:08:09.123Z');

let key: SamlKey;
beforeAll(async () => {
  key = await createSamlKey('service.test', NOW);
});

const urlTo = (ssoUrl: string, requestId = 'svc_flow_1'): string =>
  authnRequestUrl({
    sp: { entityId: 'https://service.test/a?b&c', acsUrl: 'https://service.test/acs?"', ...key },
    idp: { ssoUrl },
    requestId,
    now: NOW,
  });

function requestIn(url: string): XmlElement {
  const deflated = Buffer.from(new URL(url).searchParams.get('SAMLRequest')!, 'base64');
  return readXml(inflateRawSync(deflated).toString(), { allowComments: false, maxElements: 10 });
}

describe('authnRequestUrl', () => {
  it('asks the provider for a sign-in that is answered by POST', () => {
    const request = requestIn(urlTo('https://idp.test/sso?idpid=C1&x=2'));
    expect(request.is(PROTOCOL, 'AuthnRequest')).toBe(true);
    expect(Object.fromEntries(request.attributes.map(({ localName, value }) => [localName, value]))).toEqual({
      ID: 'svc_flow_1',
      Version: '2.0',
      IssueInstant: '2031-05-06T07:08:09.123Z',
      Destination: 'https://idp.test/sso?idpid=C1&x=2',
      ProtocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
      AssertionConsumerServiceURL: 'https://service.test/acs?"',
    });
    expect(request.all(ASSERTION, 'Issuer').map(({ text }) => text)).toEqual(['https://service.test/a?b&c']);
    expect(request.all(PROTOCOL, 'NameIDPolicy').map((policy) => policy.attribute('AllowCreate'))).toEqual(['true']);
  });

  it.each(['https://idp.test/sso', 'https://idp.test/sso?idpid=C1'])('signs the query after %s', (ssoUrl) => {
    const url = urlTo(ssoUrl);
    expect(url.startsWith(ssoUrl)).toBe(true);
    const [, signed, signature] = /[?&](SAMLRequest=[^&]*&SigAlg=[^&]*)&Signature=([^&]*)$/.exec(url)!;
    expect(signed).toContain(`SigAlg=${encodeURIComponent('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`);
    const bytes = Buffer.from(decodeURIComponent(signature!), 'base64');
    expect(verify('sha256', Buffer.from(signed!), key.certificate, bytes)).toBe(true);
    expect(verify('sha256', Buffer.from(`${signed!}0`), key.certificate, bytes)).toBe(false);
    expect(new URL(url).searchParams.has('RelayState')).toBe(false);
  });

  it.each(['', '1a', 'a b', 'a"', 'a:b', 'a'.repeat(129)])('refuses %j as an ID', (id) => {
    expect(() => urlTo('https://idp.test/sso', id)).toThrow('must be an XML name');
  });
});
