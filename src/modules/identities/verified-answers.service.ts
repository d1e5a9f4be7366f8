import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { SecretHasher } from '../auth/secret-hasher.js';
import type { CheckedIdentity } from './checked-identity.js';
import { ExternalSignInInvalid } from './identities.errors.js';
import { ProviderMetrics } from './metrics/provider.metrics.js';
import { ExternalSignInsStore } from './persistence/external-sign-ins.store.js';

/** Takes answers of providers that were checked as a whole before the sign-in is known that they belong to. */
@Injectable()
export class VerifiedAnswersService {
  constructor(
    private readonly signIns: ExternalSignInsStore,
    private readonly hasher: SecretHasher,
    private readonly metrics: ProviderMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Keeps who the person is, once for each state: an answer that is sent twice finds its sign-in answered.
   *
   * @param state what the sign-in was begun with at the provider.
   * @returns the id of the sign-in.
   * @throws {ExternalSignInInvalid} `invalid_flow`
   */
  async accept(connectionId: string, state: string, identity: CheckedIdentity): Promise<string> {
    const source = { provider: 'sso', connectionId } as const;
    const taken = await this.signIns.take(this.hasher.hashes(state), source, this.clock.now());
    if (taken === undefined) throw new ExternalSignInInvalid();
    await this.signIns.keepIdentity(taken.id, identity);
    this.metrics.answer('sso', 'accepted');
    return taken.id;
  }
}
