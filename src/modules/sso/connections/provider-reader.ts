import { Injectable } from '@nestjs/common';
import { PublicFetch } from '../../../platform/egress/public-fetch.js';
import { publicTargetOf } from '../../../platform/egress/public-target.js';
import { Clock } from '../../../platform/time/clock.js';
import { ProviderUnavailable } from '../../identities/identity-provider.js';
import { OidcClient } from '../../identities/oidc-client.js';
import { placeOf, ProviderHttp } from '../../identities/provider-http.js';
import { readCertificate } from '../saml/idp-certificate.js';
import { checkedDescription, type IdpDescription } from '../saml/idp-description.js';
import { readIdpMetadata } from '../saml/idp-metadata.js';
import { SamlMetadataRefused } from '../saml/saml-metadata-refused.js';
import { ConnectionFieldRefused } from '../sso.errors.js';
import { SsoSettings } from '../sso.settings.js';
import type { SamlIdp } from './sso-connection.js';

const MAX_BYTES = 262_144;
const TIMEOUT_MS = 10_000;
const MAX_URL = 500;

/** The ways in which an administrator can describe a provider of SAML. */
export type SamlInput = { readonly metadataXml: string } | { readonly metadataUrl: string } | IdpDescription;

/** Metadata that cannot be read or used. The message is for administrators. */
export class MetadataUnusable extends Error {}

/** Reads what administrators say of their providers. It calls hosts that they choose, so no transaction may be open. */
@Injectable()
export class ProviderReader {
  constructor(
    private readonly settings: SsoSettings,
    private readonly http: ProviderHttp,
    private readonly publicFetch: PublicFetch,
    private readonly clock: Clock,
  ) {}

  /**
   * The hosts that an issuer may have inside: itself, if the operator allows it. Its metadata must not lead requests to
   * others that the operator allows.
   */
  trustedOf(url: string): string[] {
    const target = publicTargetOf(url, { trusted: this.settings.allowedHosts });
    return target?.publicOnly === false ? [placeOf(url)] : [];
  }

  /** Requires an issuer of OpenID Connect that answers. @throws {ConnectionFieldRefused} `invalid_request` */
  async requireIssuer(issuer: string): Promise<void> {
    const refusal = (code: string, message: string): Error =>
      new ConnectionFieldRefused({ path: 'oidc.issuer', code, message });
    const target = publicTargetOf(issuer, { trusted: this.settings.allowedHosts, maxLength: MAX_URL });
    if (target === undefined || target.url.search !== '' || target.url.hash !== '' || /[?#]/.test(issuer))
      throw refusal('is_public_url', 'oidc.issuer must be an https URL of a public host, without a query.');
    const facts = { issuer, clientId: '', clientSecret: '', trusted: this.trustedOf(issuer), parameters: {} };
    try {
      await new OidcClient(facts, this.http, this.clock).requireMetadata();
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      throw refusal(
        'is_readable',
        `The issuer cannot be read: ${error.message} Copy it exactly as the provider shows it.`,
      );
    }
  }

  /** @throws {ConnectionFieldRefused} `invalid_request` */
  async readSaml(input: SamlInput): Promise<SamlIdp> {
    try {
      return await this.idpFrom(input);
    } catch (error) {
      if (!(error instanceof SamlMetadataRefused) && !(error instanceof MetadataUnusable)) throw error;
      const path = 'metadataXml' in input ? 'saml.metadata_xml' : 'metadataUrl' in input ? 'saml.metadata_url' : 'saml';
      throw new ConnectionFieldRefused({ path, code: 'is_identity_provider', message: error.message });
    }
  }

  /** Reads metadata at an address. @throws {MetadataUnusable} @throws {SamlMetadataRefused} */
  async readMetadata(url: string): Promise<SamlIdp> {
    const { allowedHosts: trusted } = this.settings;
    if (publicTargetOf(url, { trusted }) === undefined)
      throw new MetadataUnusable('The metadata URL must be an https URL of a public host.');
    const answer = await this.publicFetch.fetch({
      url,
      method: 'GET',
      headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml', 'user-agent': 'service-platform' },
      trusted,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    if ('fault' in answer) throw new MetadataUnusable(`The metadata cannot be read: ${answer.fault}.`);
    if (answer.status !== 200) throw new MetadataUnusable(`The metadata cannot be read: status ${answer.status}.`);
    if (answer.isCut) throw new MetadataUnusable('The metadata are larger than 256 KiB. Use those of one provider.');
    return this.idpOf(readIdpMetadata(answer.bytes.toString(), this.clock.now()));
  }

  private async idpFrom(input: SamlInput): Promise<SamlIdp> {
    const now = this.clock.now();
    if ('metadataXml' in input) return this.idpOf(readIdpMetadata(input.metadataXml, now));
    if (!('metadataUrl' in input)) return this.idpOf(checkedDescription(input));
    const { metadataUrl } = input;
    return { ...(await this.readMetadata(metadataUrl)), metadataUrl, metadataReadAt: now };
  }

  /** Only browsers open the address of sign-ins, which may therefore be inside of the network of the organization. */
  private idpOf({ entityId, ssoUrl, certificates }: IdpDescription): SamlIdp {
    const ends = certificates.map((pem) => readCertificate(pem).expiresAt.getTime());
    const certificatesEnd = new Date(Math.max(...ends));
    if (certificatesEnd <= this.clock.now())
      throw new MetadataUnusable('All certificates of the provider have expired. Add the one that it signs with.');
    if (new URL(ssoUrl).protocol !== 'https:' && this.trustedOf(ssoUrl).length === 0)
      throw new MetadataUnusable('The sign-in URL must be an https URL.');
    const unread = { metadataUrl: null, metadataReadAt: null, metadataProblem: null };
    return { entityId, ssoUrl, certificates, certificatesEnd, ...unread };
  }
}
