import { randomUUID } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { createSamlKey, type SamlKey } from '../../src/modules/sso/saml/saml-key.js';

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** What a test changes of a response, to see it refused. */
export interface SamlForgery {
  /** In place of the assertion alone. */
  readonly sign?: 'assertion' | 'response' | 'both' | 'none';
  /** In place of the key of the provider. */
  readonly key?: SamlKey;
  readonly signatureAlgorithm?: string;
  readonly digestAlgorithm?: string;
  readonly transforms?: readonly string[];
  readonly prefixes?: readonly string[];
  /** The prefix of elements of the signature. None writes them as Entra does. */
  readonly prefix?: string;
  /** Signs with the certificate as a shared secret. */
  readonly hmac?: boolean;
  /** Refers to the whole document in place of the ID. */
  readonly emptyUri?: boolean;
  readonly issuer?: string;
  readonly responseIssuer?: string;
  readonly recipient?: string;
  readonly destination?: string;
  readonly responseInResponseTo?: string;
  readonly status?: string;
  /** Changes the whole document before it is signed. */
  readonly before?: (xml: string) => string;
  /** Changes it afterwards. */
  readonly after?: (xml: string) => string;
}

export interface SamlSignIn {
  readonly acsUrl: string;
  readonly audience: string;
  /** Undefined for a sign-in that begins at the provider. */
  readonly inResponseTo: string | undefined;
  readonly nameId: string;
  readonly nameIdFormat?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  readonly now: Date;
  readonly forge?: SamlForgery;
}

/** An identity provider that signs SAML responses, and forges them where a test asks for it. */
export class FakeSamlIdp {
  private constructor(
    readonly entityId: string,
    readonly ssoUrl: string,
    private key: SamlKey,
  ) {}

  static async create(url = 'https://idp.test/saml', now = new Date()): Promise<FakeSamlIdp> {
    return new FakeSamlIdp(`${url}/metadata`, `${url}/sso`, await createSamlKey('idp.test', now));
  }

  get certificate(): string {
    return this.key.certificate;
  }

  /** Signs with another key from now on. */
  async rotate(now = new Date()): Promise<void> {
    this.key = await createSamlKey('idp.test', now);
  }

  metadata(certificates: readonly string[] = [this.certificate]): string {
    const keys = certificates.map(
      (pem) =>
        '<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>' +
        `<ds:X509Certificate>${base64Of(pem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
    );
    return (
      `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ` +
      `entityID="${this.entityId}"><md:IDPSSODescriptor WantAuthnRequestsSigned="true" ` +
      `protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}` +
      `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" ` +
      `Location="${this.ssoUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor>`
    );
  }

  /** The value of `SAMLResponse` that the browser of a signed-in person posts. */
  respond(signIn: SamlSignIn): string {
    const { before = same, after = same, sign = 'assertion' } = signIn.forge ?? {};
    let xml = before(this.documentFor(signIn));
    if (sign === 'assertion' || sign === 'both') xml = this.signed(xml, 'Assertion', signIn.forge);
    if (sign === 'response' || sign === 'both') xml = this.signed(xml, 'Response', signIn.forge);
    return Buffer.from(after(xml)).toString('base64');
  }

  private documentFor(signIn: SamlSignIn): string {
    const { acsUrl, inResponseTo, now, forge = {} } = signIn;
    const answers = forge.responseInResponseTo ?? inResponseTo;
    const status = forge.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success';
    return (
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ` +
      `xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomUUID()}" Version="2.0" ` +
      `IssueInstant="${now.toISOString()}" Destination="${forge.destination ?? acsUrl}"` +
      `${answers === undefined ? '' : ` InResponseTo="${answers}"`}>` +
      `<saml:Issuer>${forge.responseIssuer ?? this.entityId}</saml:Issuer>` +
      `<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>${this.assertionFor(signIn)}</samlp:Response>`
    );
  }

  private assertionFor(signIn: SamlSignIn): string {
    const { acsUrl, audience, inResponseTo, nameId, nameIdFormat = PERSISTENT, attributes = {}, now } = signIn;
    const at = (seconds: number): string => new Date(now.getTime() + seconds * 1_000).toISOString();
    const recipient = signIn.forge?.recipient ?? acsUrl;
    const answers = inResponseTo === undefined ? '' : ` InResponseTo="${inResponseTo}"`;
    const written = Object.entries(attributes).map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${values.map((value) => valueOf(escaped(value))).join('')}</saml:Attribute>`,
    );
    return (
      `<saml:Assertion xmlns:xs="http://www.w3.org/2001/XMLSchema" ID="_${randomUUID()}" Version="2.0" ` +
      `IssueInstant="${at(0)}"><saml:Issuer>${signIn.forge?.issuer ?? this.entityId}</saml:Issuer>` +
      `<saml:Subject><saml:NameID Format="${nameIdFormat}">${escaped(nameId)}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ` +
      `NotOnOrAfter="${at(300)}" Recipient="${recipient}"${answers}/></saml:SubjectConfirmation></saml:Subject>` +
      `<saml:Conditions NotBefore="${at(-300)}" NotOnOrAfter="${at(300)}"><saml:AudienceRestriction>` +
      `<saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
      `<saml:AuthnStatement AuthnInstant="${at(-5)}" SessionNotOnOrAfter="${at(28_800)}" SessionIndex="_session">` +
      `<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password` +
      `</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
      (written.length === 0 ? '' : `<saml:AttributeStatement>${written.join('')}</saml:AttributeStatement>`) +
      `</saml:Assertion>`
    );
  }

  private signed(xml: string, name: 'Assertion' | 'Response', forge: SamlForgery = {}): string {
    const { privateKey, certificate } = forge.key ?? this.key;
    const signer = new SignedXml({
      privateKey: forge.hmac === true ? certificate : privateKey,
      publicCert: certificate,
      canonicalizationAlgorithm: EXCLUSIVE,
      signatureAlgorithm: forge.signatureAlgorithm ?? RSA_SHA256,
    });
    if (forge.hmac === true) {
      signer.enableHMAC();
      signer.signatureAlgorithm = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1';
    }
    signer.addReference({
      xpath: forge.emptyUri === true ? '/*' : `//*[local-name(.)='${name}']`,
      transforms: [...(forge.transforms ?? [ENVELOPED, EXCLUSIVE])],
      digestAlgorithm: forge.digestAlgorithm ?? SHA256,
      inclusiveNamespacesPrefixList: [...(forge.prefixes ?? [])],
      ...(forge.emptyUri === true ? { uri: '', isEmptyUri: true } : {}),
    });
    const location = { reference: `//*[local-name(.)='${name}']/*[local-name(.)='Issuer']`, action: 'after' } as const;
    signer.computeSignature(xml, { location, prefix: forge.prefix ?? 'ds' });
    return signer.getSignedXml();
  }
}

const same = (xml: string): string => xml;
const base64Of = (pem: string): string => pem.replace(/-----[A-Z ]+-----|\s/g, '');
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const valueOf = (text: string): string =>
  `<saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">${text}` +
  '</saml:AttributeValue>';
