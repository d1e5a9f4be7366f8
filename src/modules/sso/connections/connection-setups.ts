import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { createSamlKey } from '../saml/saml-key.js';
import { ConnectionFieldRefused } from '../sso.errors.js';
import { ConnectionSecrets } from './connection-secrets.js';
import { ProviderReader, type SamlInput } from './provider-reader.js';
import type { ConnectionChange, ConnectionSetup, SsoConnection } from './sso-connection.js';

export interface OidcInput {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What an administrator says of a provider. */
export type ProviderInput =
  { readonly type: 'oidc'; readonly oidc: OidcInput } | { readonly type: 'saml'; readonly saml: SamlInput };

/** What is left out stays. SAML is described as a whole. */
export interface ProviderChange {
  readonly oidc?: Partial<OidcInput>;
  readonly saml?: SamlInput;
}

/** Each reads from a host that the caller names. */
const READS = { name: 'sso_provider_reads', attempts: 30, periodSeconds: 300, Refusal: TooManyAttempts };

/** Prepares how a connection asks its provider, before the transaction, because providers are asked meanwhile. */
@Injectable()
export class ConnectionSetups {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly reader: ProviderReader,
    private readonly secrets: ConnectionSecrets,
    private readonly attempts: AttemptsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {ConnectionFieldRefused} `invalid_request`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   */
  prepare(
    input: ProviderInput,
    { id, orgId }: { readonly id: string; readonly orgId: string },
  ): Promise<ConnectionSetup> {
    return this.database.apart(async () => {
      await this.attempts.count(READS, orgId);
      if (input.type === 'saml') {
        const idp = await this.reader.readSaml(input.saml);
        const { privateKey, certificate } = await createSamlKey(
          new URL(this.config.publicUrl).hostname,
          this.clock.now(),
        );
        return {
          type: 'saml',
          saml: { ...idp, spKey: this.secrets.seal(privateKey, id), spCertificate: certificate },
        };
      }
      const { issuer, clientId, clientSecret } = input.oidc;
      await this.reader.requireIssuer(issuer);
      return { type: 'oidc', oidc: { issuer, clientId, clientSecret: this.secrets.seal(clientSecret, id) } };
    });
  }

  /** {@link prepare} for a change. @throws as {@link prepare}. */
  prepareChange(
    before: SsoConnection,
    { oidc, saml }: ProviderChange,
  ): Promise<Pick<ConnectionChange, 'oidc' | 'saml'>> {
    return this.database.apart(async () => {
      if (oidc === undefined && saml === undefined) return {};
      await this.attempts.count(READS, before.orgId);
      if (saml !== undefined) {
        if (before.type !== 'saml') throw otherType('saml', before);
        return { saml: await this.reader.readSaml(saml) };
      }
      return { oidc: await this.oidcOf(before, oidc!) };
    });
  }

  private async oidcOf(
    before: SsoConnection,
    { issuer, clientId, clientSecret }: Partial<OidcInput>,
  ): Promise<NonNullable<ConnectionChange['oidc']>> {
    if (before.type !== 'oidc') throw otherType('oidc', before);
    if (issuer !== undefined && issuer !== before.oidc.issuer) {
      // The secret that is stored would be sent to another server.
      if (clientSecret === undefined)
        throw new ConnectionFieldRefused({
          path: 'oidc.client_secret',
          code: 'is_needed',
          message: 'oidc.client_secret is required with another issuer.',
        });
      await this.reader.requireIssuer(issuer);
    }
    return {
      ...(issuer === undefined ? {} : { issuer }),
      ...(clientId === undefined ? {} : { clientId }),
      ...(clientSecret === undefined ? {} : { clientSecret: this.secrets.seal(clientSecret, before.id) }),
    };
  }
}

const otherType = (path: string, { type }: SsoConnection): Error =>
  new ConnectionFieldRefused({ path, code: 'is_of_type', message: `This connection is of the type ${type}.` });
