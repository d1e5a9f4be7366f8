import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { tokenKindOf } from '../../auth/token-format.js';
import { UnknownKeyThrottle } from '../../auth/unknown-key-throttle.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { SsoProvisioningService } from '../../sso/sso-provisioning.service.js';
import { type ScimToken, ScimTokensStore } from '../persistence/scim-tokens.store.js';
import type { ScimCall } from './scim-call.js';
import { tokenRefused } from './token-refused.js';

/** A provider that begins sends many people one after the other. */
const CALLS: AttemptRule = { name: 'scim_call', attempts: 600, periodSeconds: 60, Refusal: TooManyAttempts };

/** What was sent to show who calls. */
export interface ShownScimToken {
  readonly token: string | undefined;
  readonly connectionId: string;
  readonly ip: string;
}

/** Finds the connection that a token belongs to. */
@Injectable()
export class ScimAuthenticator {
  constructor(
    private readonly tokens: ScimTokensStore,
    private readonly sso: SsoProvisioningService,
    private readonly hasher: SecretHasher,
    private readonly unknown: UnknownKeyThrottle,
    private readonly attempts: AttemptsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {ScimRefusal} 401, the same for every token that does not open this connection.
   * @throws {TooManyAttempts} `burst_limit_exceeded`: unknown tokens from the address, or calls of the connection.
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   */
  async authenticate({ token, connectionId, ip }: ShownScimToken): Promise<ScimCall> {
    // The checksum shows typing errors without a lookup.
    if (token === undefined || tokenKindOf(token) !== 'scim') throw tokenRefused();
    this.unknown.check(ip);
    const found = await this.tokens.findLive(this.hasher.hashes(token), this.clock.now());
    if (found === undefined) await this.unknown.record(ip);
    if (found?.connectionId !== connectionId) throw tokenRefused();
    await this.attempts.count(CALLS, connectionId);
    return this.callOf(found, ip);
  }

  private async callOf({ id, connectionId }: ScimToken, ip: string): Promise<ScimCall> {
    const connection = await this.sso.find(connectionId);
    if (connection === undefined) throw tokenRefused();
    await this.tokens.touch(id, this.clock.now());
    return { connection, ip };
  }
}
