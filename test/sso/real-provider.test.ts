import { SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml';
import { type RsaCertificate, rsaCertificate } from '../support/rsa-certificate.js';
import { type SamlAnswer, type SamlUser, SimpleSamlPhp, withSimpleSamlPhp } from '../support/simplesamlphp.js';

const ENTITY_ID = 'https://api.test/sign-in/sso/sso_1/metadata';
const ACS = 'https://api.test/sign-in/sso/sso_1/acs';
const ADA: SamlUser = {
  username: 'ada',
  password: 'a "pass" & <phrase>',
  attributes: { uid: 'u-1', mail: 'ada@acme.test', displayName: 'Ada "A" <Lovelace>', groups: ['staff', 'R&D'] },
};
const CERTIFICATE = /<ds:X509Certificate>([^<]+)<\/ds:X509Certificate>/;

describe('SimpleSAMLphp as the identity provider of a service', () => {
  const provider = new SimpleSamlPhp();
  let own: RsaCertificate;
  let idpCert: string;
  beforeAll(async () => {
    own = await rsaCertificate('Service in a test');
    provider.setUser(ADA);
    provider.trust({ entityId: ENTITY_ID, acsUrl: ACS, certificate: own.certificate });
    await provider.start();
    idpCert = CERTIFICATE.exec(await provider.metadata())![1]!;
  });
  afterAll(() => provider.stop());

  const service = (changes: Partial<SamlConfig> = {}): SAML =>
    new SAML({
      entryPoint: provider.ssoUrl,
      issuer: ENTITY_ID,
      audience: ENTITY_ID,
      callbackUrl: ACS,
      idpIssuer: provider.entityId,
      idpCert,
      privateKey: own.key,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      identifierFormat: null,
      validateInResponseTo: ValidateInResponseTo.always,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: true,
      disableRequestedAuthnContext: true,
      ...changes,
    });
  const request = (saml = service(), relayState = ''): Promise<string> =>
    saml.getAuthorizeUrlAsync(relayState, undefined, {});
  const check = (saml: SAML, { SAMLResponse }: SamlAnswer): Promise<unknown> =>
    saml.validatePostResponseAsync({ SAMLResponse }).then(({ profile }) => profile);

  withSimpleSamlPhp('answers a signed request with a signed assertion about the user', async () => {
    const saml = service();
    const answer = await provider.signIn(await request(saml, 'state&"more"'), ADA);
    expect(answer).toMatchObject({ acsUrl: ACS, RelayState: 'state&"more"' });
    const { uid, mail, displayName, groups } = ADA.attributes;
    expect(await check(saml, answer)).toMatchObject({
      issuer: provider.entityId,
      nameID: uid,
      attributes: { uid, mail, displayName, groups },
    });
  });

  withSimpleSamlPhp('gives the address, or a lasting random ID, as NameID where the request asks for it', async () => {
    const named = async (identifierFormat: string): Promise<unknown> => {
      const saml = service({ identifierFormat });
      return check(saml, await provider.signIn(await request(saml), ADA));
    };
    expect(await named('urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress')).toMatchObject({
      nameID: ADA.attributes.mail,
    });
    const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
    const first = (await named(persistent)) as { nameID: string };
    expect(first).toMatchObject({ nameID: expect.stringMatching(/^[\da-f]{40}$/), nameIDFormat: persistent });
    expect(await named(persistent)).toMatchObject({ nameID: first.nameID });
  });

  withSimpleSamlPhp('passes on changes to a user from the next sign-in on', async () => {
    const grace = { ...ADA, username: 'grace', attributes: { ...ADA.attributes, uid: 'u-2', groups: ['staff'] } };
    for (const groups of [['staff', 'admins'], ['staff']]) {
      provider.setUser({ ...grace, attributes: { ...grace.attributes, groups } });
      const saml = service();
      const profile = await check(saml, await provider.signIn(await request(saml), grace));
      expect([(profile as { attributes: { groups: unknown } }).attributes.groups].flat()).toEqual(groups);
    }
  });

  withSimpleSamlPhp('gives no answer for a wrong password or an unknown user', async () => {
    for (const wrong of [{ password: 'wrong' }, { username: 'eve' }]) {
      expect(await provider.refusal(await request(), { ...ADA, ...wrong })).toContain('Incorrect username or password');
    }
    await expect(provider.signIn(await request(), { ...ADA, password: 'wrong' })).rejects.toThrow('No answer');
  });

  withSimpleSamlPhp('gives no answer to a request that is unsigned, changed, or signed by another key', async () => {
    const { key } = await rsaCertificate('Another service');
    const changed = new URL(await request());
    changed.searchParams.set('RelayState', 'added');
    for (const location of [changed.href, await request(service({ privateKey: key }))])
      expect(await provider.refusal(location, ADA)).toContain('Unable to validate signature');
    const unsigned = new URL(await request());
    for (const name of ['Signature', 'SigAlg']) unsigned.searchParams.delete(name);
    expect(await provider.refusal(unsigned.href, ADA)).toContain('no signature found');
  });

  withSimpleSamlPhp('gives no answer to a service that it does not know', async () => {
    const location = await request(service({ issuer: 'https://other.test/metadata' }));
    expect(await provider.refusal(location, ADA)).toContain('Metadata not found');
  });

  withSimpleSamlPhp('answers unsigned requests of a service without a certificate', async () => {
    const entityId = 'https://unsigned.test/metadata';
    provider.trust({ entityId, acsUrl: ACS });
    const saml = service({ issuer: entityId, audience: entityId });
    delete saml.options.privateKey;
    expect(await check(saml, await provider.signIn(await request(saml), ADA))).toMatchObject({ nameID: 'u-1' });
  });

  withSimpleSamlPhp('can answer unasked, which the service sees', async () => {
    const answer = await provider.signIn(provider.unsolicitedUrl(ENTITY_ID), ADA);
    await expect(check(service(), answer)).rejects.toThrow('InResponseTo is missing from response');
    const careless = service({ validateInResponseTo: ValidateInResponseTo.never });
    expect(await check(careless, answer)).toMatchObject({ nameID: 'u-1' });
  });

  withSimpleSamlPhp('signs so that a changed answer, and the answer of another provider, are seen', async () => {
    const saml = service();
    const answer = await provider.signIn(await request(saml), ADA);
    const xml = Buffer.from(answer.SAMLResponse, 'base64').toString();
    expect(xml).toContain('u-1');
    const SAMLResponse = Buffer.from(xml.replaceAll('u-1', 'u-9')).toString('base64');
    await expect(check(saml, { ...answer, SAMLResponse })).rejects.toThrow('Invalid document signature');

    const { certificate } = await rsaCertificate('Another provider');
    const misled = service({ idpCert: certificate });
    const genuine = await provider.signIn(await request(misled), ADA);
    await expect(check(misled, genuine)).rejects.toThrow('Invalid document signature');
  });
});
