import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { ServiceProvider } from '../saml/service-provider.js';
import { spMetadataOf } from '../saml/sp-metadata.js';
import { ConnectionSecrets } from './connection-secrets.js';
import { acsUrlOf, spMetadataUrlOf } from './connection-urls.js';
import type { SamlConnection } from './sso-connection.js';

/** This service as the providers of SAML know it. Each connection is another one. */
@Injectable()
export class ServiceProviders {
  constructor(
    private readonly config: Config,
    private readonly secrets: ConnectionSecrets,
  ) {}

  of(connection: SamlConnection): ServiceProvider {
    return { ...this.publicFactsOf(connection), privateKey: this.secrets.of(connection) };
  }

  metadataOf(connection: SamlConnection): string {
    return spMetadataOf(this.publicFactsOf(connection));
  }

  publicFactsOf({ id, saml }: SamlConnection): Omit<ServiceProvider, 'privateKey'> {
    const { publicUrl } = this.config;
    return {
      entityId: spMetadataUrlOf(publicUrl, id),
      acsUrl: acsUrlOf(publicUrl, id),
      certificate: saml.spCertificate,
    };
  }
}
