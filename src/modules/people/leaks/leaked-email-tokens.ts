import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { type LeakHandler, LeakedTokens } from '../../auth/leaked-tokens.js';
import { EmailTokensStore } from '../persistence/email-tokens.store.js';

/** Uses up tokens that were sent by email. Nobody is notified, because a new message is a click away. */
@Injectable()
export class LeakedEmailTokens implements LeakHandler {
  constructor(
    private readonly tokens: EmailTokensStore,
    private readonly clock: Clock,
    leaked: LeakedTokens,
  ) {
    leaked.register('mail', this);
  }

  findKnown(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.tokens.known(hashes);
  }

  end(hash: Buffer): Promise<boolean> {
    return this.tokens.end(hash, this.clock.now());
  }
}
