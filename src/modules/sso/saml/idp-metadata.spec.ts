import { FakeSamlIdp } from '../../../../test/support/saml-idp.js';
import { type IdpDescription, checkedDescription } from './idp-description.js';
import { readCertificate } from './idp-certificate.js';
import { readIdpMetadata } from './idp-metadata.js';
import { createSamlKey, type SamlKey } from './saml-key.js';
import { SamlMetadataRefused } from './saml-metadata-refused.js';
import { spMetadataOf } from './sp-metadata.js';
import { readXml } from './xml/read-xml.js';

const NOW = new Date('2031-05-06T07:08:09Z');
const MD = 'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"';
const DS = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
const SAML2 = 'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

/** Certificates with a key of 1,024 bits, and with one on P-256. */
const SHORT_RSA =
  'MIIB/jCCAWegAwIBAgIULCxzPhKHCclvmufud4jAo9JeYyYwDQYJKoZIhvcNAQELBQAwEDEOMAwGA1UEAwwFc2hvcnQwIBcNMjYx' +
  'MTI3MDUwNzIzWhgPMjEyNjExMDMwNTA3MjNaMBAxDjAMBgNVBAMMBXNob3J0MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDD' +
  'AY/6lrlu4l8dVgSBb/Hc9uycV2I+/VeTgNZJE+njhihnNRwObhA8cnx8DXbiq2rm1uXp3/nZ+4M2tub1N0JzfsPkZCOxhdi1KjhT' +
  'NBP0qNl7xcyLiJ9J5oDybVyiHDRX6UWtGEVqcM5d7RtGAZSIK4Oz6DMntadS3V6nxTt8hQIDAQABo1MwUTAdBgNVHQ4EFgQUfA/8' +
  'xqx4uTx82xkmrtpIMhAZDPswHwYDVR0jBBgwFoAUfA/8xqx4uTx82xkmrtpIMhAZDPswDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG' +
  '9w0BAQsFAAOBgQA3EFxQpBtcdTXrRQeG/J34j87aM9qx+I9yPgHpWpPEajTatJtR5pUoZxGlA4yMSsGtwj7i1NpgqwIaQZwTXrqt' +
  'juFaT4yJjyBJlXB8yTmWtzjhV53EFpt/6xiv7BLWE4iWAAuAsRVMqKqCxrFMzQQV8xXc3rgtHubzheWcMn9/Yg==';
const ELLIPTIC =
  'MIIBfTCCASOgAwIBAgIUbvbj7HUHyVtzqexhAT+56Tr+7TowCgYIKoZIzj0EAwIwEzERMA8GA1UEAwwIZWxsaXB0aWMwIBcNMjYx' +
  'MTI3MDUwNzIzWhgPMjEyNjExMDMwNTA3MjNaMBMxETAPBgNVBAMMCGVsbGlwdGljMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE' +
  'lqX7UEVKNJU610tC5rZfMpdl1KRqwSUpQE4hUEj/Koyaui1WrMgJ2zW+V07yOUrbneW9RS5Xs8oMiAmR1ujJ3qNTMFEwHQYDVR0O' +
  'BBYEFBwievqUf9qEYQ0Ed/mNvwuwzhL7MB8GA1UdIwQYMBaAFBwievqUf9qEYQ0Ed/mNvwuwzhL7MA8GA1UdEwEB/wQFMAMBAf8w' +
  'CgYIKoZIzj0EAwIDSAAwRQIhAKWw03n4vtJVXzG0K7vZ5cIutF7vgUQrcarZjzmBPf8PAiBULs6lB9S79qBJDFHnseIO6MIVgQiT' +
  'qeptd6SZZWYyGQ==';

let first: SamlKey;
let second: SamlKey;
beforeAll(async () => {
  [first, second] = await Promise.all([createSamlKey('one', NOW), createSamlKey('two', NOW)]);
});

const base64Of = ({ certificate }: SamlKey): string => certificate.replace(/-----[A-Z ]+-----|\s/g, '');
const pemOf = ({ certificate }: SamlKey): string => readCertificate(certificate).pem;
const keyInfo = (base64: string): string =>
  `<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${base64}</X509Certificate>` +
  '</X509Data></KeyInfo>';
const refusal = (read: () => unknown): string => {
  try {
    read();
    return 'accepted';
  } catch (error) {
    return error instanceof SamlMetadataRefused ? error.message : `not refused: ${String(error)}`;
  }
};

/** Metadata as providers publish it, made short. */
const PROVIDERS: Readonly<Record<string, () => { xml: string; expected: IdpDescription }>> = {
  Okta: () => ({
    xml: `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="http://www.okta.com/exk1" ${MD}>
<md:IDPSSODescriptor WantAuthnRequestsSigned="false" ${SAML2}><md:KeyDescriptor use="signing">
<ds:KeyInfo ${DS}><ds:X509Data><ds:X509Certificate>${base64Of(first).replace(/.{76}/g, '$&\n')}
</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
<md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat>
<md:SingleSignOnService Binding="${POST}" Location="https://acme.okta.com/app/exk1/sso/saml"/>
<md:SingleSignOnService Binding="${REDIRECT}" Location="https://acme.okta.com/app/exk1/sso/saml"/>
</md:IDPSSODescriptor></md:EntityDescriptor>`,
    expected: {
      entityId: 'http://www.okta.com/exk1',
      ssoUrl: 'https://acme.okta.com/app/exk1/sso/saml',
      certificates: [pemOf(first)],
    },
  }),
  Entra: () => ({
    xml: `\uFEFF<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_1" entityID="https://sts.windows.net/9c/"
xmlns="urn:oasis:names:tc:SAML:2.0:metadata"><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo/>
${keyInfo(base64Of(second))}</Signature><RoleDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" xsi:type="fed:SecurityTokenServiceType"
protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706"><KeyDescriptor use="signing">
${keyInfo(base64Of(second))}</KeyDescriptor></RoleDescriptor><IDPSSODescriptor ${SAML2}><KeyDescriptor use="signing">
${keyInfo(base64Of(first))}</KeyDescriptor><SingleLogoutService Binding="${REDIRECT}"
Location="https://login.microsoftonline.com/9c/saml2"/><SingleSignOnService Binding="${REDIRECT}"
Location="https://login.microsoftonline.com/9c/saml2" /><SingleSignOnService Binding="${POST}"
Location="https://login.microsoftonline.com/9c/saml2" /></IDPSSODescriptor></EntityDescriptor>`,
    expected: {
      entityId: 'https://sts.windows.net/9c/',
      ssoUrl: 'https://login.microsoftonline.com/9c/saml2',
      certificates: [pemOf(first)],
    },
  }),
  Google: () => ({
    xml: `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<md:EntityDescriptor ${MD} entityID="https://accounts.google.com/o/saml2?idpid=C01"
  validUntil="2036-01-01T00:00:00.000Z">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" ${SAML2}>
    <md:KeyDescriptor use="signing">${keyInfo(base64Of(first))}</md:KeyDescriptor>
    <md:KeyDescriptor use="signing">${keyInfo(base64Of(second))}</md:KeyDescriptor>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:SingleSignOnService Binding="${REDIRECT}" Location="https://accounts.google.com/o/saml2/idp?idpid=C01"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`,
    expected: {
      entityId: 'https://accounts.google.com/o/saml2?idpid=C01',
      ssoUrl: 'https://accounts.google.com/o/saml2/idp?idpid=C01',
      certificates: [pemOf(first), pemOf(second)],
    },
  }),
  Keycloak: () => ({
    xml: `<md:EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" ${MD} ${DS} Name="urn:keycloak">
<md:EntityDescriptor entityID="https://kc.test/realms/acme">
<md:IDPSSODescriptor WantAuthnRequestsSigned="true" ${SAML2}>
<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyName>kid</ds:KeyName><ds:X509Data><ds:X509Certificate>
${base64Of(first)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
<md:ArtifactResolutionService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP"
Location="https://kc.test/a" index="0"/>
<md:SingleSignOnService Binding="${POST}" Location="https://kc.test/realms/acme/protocol/saml"/>
<md:SingleSignOnService Binding="${REDIRECT}" Location="https://kc.test/realms/acme/protocol/saml"/>
</md:IDPSSODescriptor></md:EntityDescriptor></md:EntitiesDescriptor>`,
    expected: {
      entityId: 'https://kc.test/realms/acme',
      ssoUrl: 'https://kc.test/realms/acme/protocol/saml',
      certificates: [pemOf(first)],
    },
  }),
  SimpleSAMLphp: () => ({
    xml: `<?xml version="1.0"?>
<!-- Metadata of a test -->
<md:EntityDescriptor ${MD} ${DS} entityID="http://ssp.test:8080/idp">
  <md:IDPSSODescriptor ${SAML2}>
    <md:KeyDescriptor use="signing">${keyInfo(base64Of(first))}</md:KeyDescriptor>
    <md:KeyDescriptor use="encryption">${keyInfo(base64Of(second))}</md:KeyDescriptor>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</md:NameIDFormat>
    <md:SingleSignOnService Binding="${REDIRECT}" Location="http://ssp.test:8080/simplesaml/saml2/idp/SSOService.php"/>
  </md:IDPSSODescriptor>
  <md:ContactPerson contactType="technical"><md:GivenName>Ädmin</md:GivenName></md:ContactPerson>
</md:EntityDescriptor>`,
    expected: {
      entityId: 'http://ssp.test:8080/idp',
      ssoUrl: 'http://ssp.test:8080/simplesaml/saml2/idp/SSOService.php',
      certificates: [pemOf(first)],
    },
  }),
};

describe('readIdpMetadata', () => {
  it.each(Object.keys(PROVIDERS))('reads the metadata of %s', (name) => {
    const { xml, expected } = PROVIDERS[name]!();
    expect(readIdpMetadata(xml, NOW)).toEqual(expected);
  });

  it('reads what the provider of the tests publishes', async () => {
    const idp = await FakeSamlIdp.create();
    expect(readIdpMetadata(idp.metadata(), NOW)).toMatchObject({ entityId: idp.entityId, ssoUrl: idp.ssoUrl });
  });

  it('takes the first certificate of a chain alone, and keys without a use', () => {
    const { xml } = PROVIDERS['Google']!();
    const chain = `</X509Certificate><X509Certificate>${base64Of(second)}</X509Certificate>`;
    const changed = xml
      .replace(/<md:KeyDescriptor use="signing">(?=[^]*?<md:KeyDescriptor)/, '<md:KeyDescriptor>')
      .replace('</X509Certificate>', chain)
      .replace(/<md:KeyDescriptor use="signing">[^]*?<\/md:KeyDescriptor>/, '');
    expect(readIdpMetadata(changed, NOW).certificates).toEqual([pemOf(first)]);
  });

  it.each<[string, RegExp, (xml: string) => string]>([
    ['a document that is too large', /^The metadata is larger than 256 KiB/, (xml) => xml + ' '.repeat(262_144)],
    ['a document type', /has a document type/, (xml) => xml.replace('<md:', '<!DOCTYPE a [<!ENTITY b "c">]><md:')],
    ['a stylesheet', /has processing instructions or CDATA/, (xml) => xml.replace('<md:', '<?xml-stylesheet a?><md:')],
    ['another encoding', /not in UTF-8/, (xml) => xml.replace('UTF-8', 'UTF-16')],
    ['JSON', /not well-formed XML/, () => '{}'],
    ['nothing', /not well-formed XML/, () => ''],
    ['HTML', /^This is not SAML metadata/, () => '<html><body/></html>'],
    ['too many elements', /too many elements/, (xml) => xml.replace('<md:NameID', `${'<a/>'.repeat(5_000)}<md:NameID`)],
    ['other XML', /^This is not SAML metadata/, (xml) => xml.replace(MD, 'xmlns:md="urn:x"')],
    ['no entity', /^This is not SAML metadata/, () => `<md:EntitiesDescriptor ${MD}/>`],
    [
      'several entities',
      /^The metadata has 2 entities/,
      (xml) => {
        const entity = xml.slice(xml.indexOf('<md:Entity'));
        return `<md:EntitiesDescriptor ${MD}>${entity}${entity}</md:EntitiesDescriptor>`;
      },
    ],
    ['no provider', /must have one identity provider/, (xml) => xml.replace(/md:IDPSSO/g, 'md:SPSSO')],
    ['SAML 1.1 alone', /must have one identity provider/, (xml) => xml.replace(SAML2, SAML2.replace('2.0', '1.1'))],
    ['no redirects', /takes no requests by HTTP-Redirect/, (xml) => xml.replace(REDIRECT, POST)],
    ['no address', /must be an https URL/, (xml) => xml.replace(/ Location="[^"]*"/, '')],
    [
      'a script as address',
      /must be an https URL/,
      (xml) => xml.replace(/Location="[^"]*"/, 'Location="javascript:a()"'),
    ],
    [
      'a password in the address',
      /no user, password/,
      (xml) => xml.replace('="https://acc', '="https://a:b@acc').replace(/(?<=Location=")https:\/\//, 'https://a:b@'),
    ],
    [
      'a request in the address',
      /must not have the parameters/,
      (xml) => xml.replace('/idp?idpid', '/idp?SAMLRequest'),
    ],
    ['no ID', /^The entity ID must have/, (xml) => xml.replace(/entityID="[^"]*"/, '')],
    [
      'an ID that is too long',
      /^The entity ID must have/,
      (xml) => xml.replace(/entityID="/, `entityID="${'a'.repeat(1_024)}`),
    ],
    ['no certificate', /has no certificate/, (xml) => xml.replace(/<md:KeyDescriptor[^]*<\/md:KeyDescriptor>/, '')],
    ['keys for encryption alone', /has no certificate/, (xml) => xml.replace(/use="signing"/g, 'use="encryption"')],
    [
      'an unreadable certificate',
      /^The certificate cannot be read/,
      (xml) => xml.replace('<X509Certificate>', '<X509Certificate>AAAA'),
    ],
    [
      'an empty certificate',
      /^The certificate cannot be read/,
      (xml) => xml.replace(/<X509Certificate>[^<]*/, '<X509Certificate>'),
    ],
    ['an end in the past', /^The metadata has expired/, (xml) => xml.replace('2036', '2030')],
    [
      'an end of the provider in the past',
      /^The metadata has expired/,
      (xml) => xml.replace('<md:IDPSSODescriptor', '<md:IDPSSODescriptor validUntil="2031-05-06T07:08:09Z"'),
    ],
    ['an unreadable end', /^The metadata has expired/, (xml) => xml.replace('2036-', 'x')],
  ])('refuses %s', (_, message, change) => {
    expect(refusal(() => readIdpMetadata(change(PROVIDERS['Google']!().xml), NOW))).toMatch(message);
  });
});

describe('checkedDescription', () => {
  it('takes one to ten certificates, each once', async () => {
    const description = { entityId: 'urn:idp', ssoUrl: 'https://idp.test' };
    const certificates = [first.certificate, base64Of(first)];
    expect(checkedDescription({ ...description, certificates }).certificates).toEqual([pemOf(first)]);
    const many = await Promise.all(Array.from({ length: 11 }, async () => (await createSamlKey('a', NOW)).certificate));
    expect(refusal(() => checkedDescription({ ...description, certificates: many }))).toMatch(
      /11 certificates, and 10/,
    );
  });
});

describe('readCertificate', () => {
  it('says what administrators compare', () => {
    const read = readCertificate(`\n${first.certificate.replace(/\n/g, '\r\n')}\n`);
    expect(read).toEqual({
      pem: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/),
      sha256: expect.stringMatching(/^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/),
      subject: 'CN=one',
      expiresAt: new Date('2041-05-06T07:08:09Z'),
    });
    expect(readCertificate(base64Of(first))).toEqual(read);
  });

  it.each<[string, () => string]>([
    ['nothing', () => ''],
    ['other text', () => 'a certificate'],
    ['a private key', () => first.privateKey],
    ['two certificates', () => first.certificate + second.certificate],
    [
      'bytes behind it',
      () => Buffer.concat([Buffer.from(base64Of(first), 'base64'), Buffer.from('a')]).toString('base64'),
    ],
    ['a part of it', () => Buffer.from(base64Of(first), 'base64').subarray(0, 300).toString('base64')],
    ['a text that is too long', () => 'A'.repeat(20_004)],
  ])('refuses %s', (_, text) => {
    expect(refusal(() => readCertificate(text()))).toMatch(/^The certificate cannot be read/);
  });

  it('refuses keys that are short or not RSA', () => {
    expect(refusal(() => readCertificate(SHORT_RSA))).toMatch(/^The RSA key of the certificate has 1024 bits/);
    expect(refusal(() => readCertificate(ELLIPTIC))).toMatch(/^The certificate has no RSA key/);
  });
});

describe('spMetadataOf', () => {
  it('names the connection, its key and where responses go', () => {
    const acsUrl = 'https://service.test/acs?a=1&b="2"';
    const xml = spMetadataOf({ entityId: 'https://service.test/<sp>', acsUrl, certificate: first.certificate });
    const root = readXml(xml, { allowComments: false, maxElements: 100 });
    const all = [...root.subtree()];
    const named = (name: string): typeof all => all.filter(({ localName }) => localName === name);
    expect(root.attribute('entityID')).toBe('https://service.test/<sp>');
    const [provider] = named('SPSSODescriptor');
    expect(provider!.attribute('AuthnRequestsSigned')).toBe('true');
    expect(provider!.attribute('WantAssertionsSigned')).toBe('true');
    expect(
      named('AssertionConsumerService').map((each) => [each.attribute('Binding'), each.attribute('Location')]),
    ).toEqual([[POST, acsUrl]]);
    expect(named('KeyDescriptor').map((each) => each.attribute('use'))).toEqual(['signing']);
    expect(readCertificate(named('X509Certificate')[0]!.text!).pem).toBe(pemOf(first));
    expect(named('NameIDFormat').map(({ text }) => text)).toEqual([
      'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    ]);
    expect(refusal(() => readIdpMetadata(xml, NOW))).toMatch(/must have one identity provider/);
  });
});
