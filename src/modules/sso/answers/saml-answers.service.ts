import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { CheckedIdentity } from '../../identities/checked-identity.js';
import { ExternalSignInInvalid, SsoConnectionNotFound } from '../../identities/identities.errors.js';
import { VerifiedAnswersService } from '../../identities/verified-answers.service.js';
import { ServiceProviders } from '../connections/service-providers.js';
import type { SamlConnection } from '../connections/sso-connection.js';
import { SsoMetrics } from '../metrics/sso.metrics.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { type SamlIdentity, samlIdentityOf } from '../saml/saml-identity.js';
import { SamlRefused } from '../saml/saml-refused.js';
import { verifySamlResponse } from '../saml/saml-response.js';
import { SsoResponseInvalid } from '../sso.errors.js';
import { RefusedAnswers } from './refused-answers.js';

/** Nothing waits for the answer: it was sent before, its sign-in has ended, or it is that of another connection. */
const UNKNOWN_REQUEST = 'in_response_to_unknown';
const NO_RESPONSE = 'no_response';

interface Verified {
  readonly inResponseTo: string;
  readonly identity: SamlIdentity;
}

/** Takes what providers of SAML say of people. */
@Injectable()
export class SamlAnswersService {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly sps: ServiceProviders,
    private readonly answers: VerifiedAnswersService,
    private readonly refused: RefusedAnswers,
    private readonly metrics: SsoMetrics,
    private readonly clock: Clock,
  ) {}

  /** Our metadata, for the provider of a connection. @throws {SsoConnectionNotFound} `sso_connection_not_found` */
  async metadataOf(connectionId: string): Promise<string> {
    return this.sps.metadataOf(await this.get(connectionId));
  }

  /**
   * Verifies the value of `SAMLResponse`, and keeps who the person is for the sign-in that it answers.
   *
   * @returns the id of the sign-in.
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`
   * @throws {SsoResponseInvalid} `sso_response_invalid`
   */
  async take(connectionId: string, response: string | undefined): Promise<string> {
    const connection = await this.get(connectionId);
    try {
      const { inResponseTo, identity } = await this.verify(connection, response);
      const id = await this.answers.accept(connectionId, inResponseTo, identityOf(identity));
      this.metrics.response('saml', 'accepted');
      return id;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      const isForgery = error instanceof SamlRefused && error.isForgery;
      await this.refused.record(connection, reason, isForgery ? 'forged' : 'refused');
      throw new SsoResponseInvalid();
    }
  }

  private async verify(connection: SamlConnection, response: string | undefined): Promise<Verified> {
    if (response === undefined) throw new NoResponse();
    const { entityId, certificates } = connection.saml;
    const answer = await verifySamlResponse(response, {
      sp: this.sps.publicFactsOf(connection),
      idp: { entityId, certificates },
      now: this.clock.now(),
    });
    const identity = samlIdentityOf(answer, connection.mapping, connection.id);
    return { inResponseTo: answer.inResponseTo, identity };
  }

  private async get(id: string): Promise<SamlConnection> {
    const connection = await this.connections.find(id);
    if (connection?.type !== 'saml') throw new SsoConnectionNotFound();
    return connection;
  }
}

class NoResponse extends Error {}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof SamlRefused)
    return error.providerStatus === undefined ? error.reason : `${error.reason}: ${error.providerStatus}`;
  if (error instanceof NoResponse) return NO_RESPONSE;
  return error instanceof ExternalSignInInvalid ? UNKNOWN_REQUEST : undefined;
}

/** The connection is the issuer, which identities are kept by. */
const identityOf = ({ issuer, subject, name, username, email, groups }: SamlIdentity): CheckedIdentity => ({
  provider: 'sso',
  issuer,
  subject,
  name,
  username,
  ...(email === undefined ? {} : { email }),
  groups,
});
