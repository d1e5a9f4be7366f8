import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { type LeakHandler, LeakedTokens } from '../leaked-tokens.js';
import { LeakedTokensStore } from '../persistence/leaked-tokens.store.js';
import { SignInFlowsStore } from '../persistence/sign-in-flows.store.js';

/** Ends sign-ins that wait for a second factor. They last five minutes, so nobody is notified. */
@Injectable()
export class LeakedSignInFlows implements LeakHandler {
  constructor(
    private readonly store: LeakedTokensStore,
    private readonly flows: SignInFlowsStore,
    private readonly clock: Clock,
    leaked: LeakedTokens,
  ) {
    leaked.register('flow', this);
  }

  findKnown(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.store.knownSignInFlows(hashes);
  }

  end(hash: Buffer): Promise<boolean> {
    return this.flows.delete([hash], this.clock.now());
  }
}
