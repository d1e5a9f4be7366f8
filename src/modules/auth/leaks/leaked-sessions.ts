import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { authMailJob } from '../auth-mail.job.js';
import { type LeakHandler, type LeakPlace, LeakedTokens } from '../leaked-tokens.js';
import { LeakedTokensStore } from '../persistence/leaked-tokens.store.js';
import { SessionsStore } from '../persistence/sessions.store.js';
import { SessionHistory } from '../sessions/session-history.js';

/** Ends sessions whose token is public, also one that was replaced: who has it may have had the next one too. */
@Injectable()
export class LeakedSessions implements LeakHandler {
  constructor(
    private readonly database: Database,
    private readonly store: LeakedTokensStore,
    private readonly sessions: SessionsStore,
    private readonly history: SessionHistory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    leaked: LeakedTokens,
  ) {
    for (const kind of ['sess', 'web'] as const) leaked.register(kind, this);
  }

  findKnown(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.store.knownSessionTokens(hashes);
  }

  end(hash: Buffer, { url }: LeakPlace): Promise<boolean> {
    return this.database.transaction(async () => {
      const session = await this.store.findSession(hash);
      if (session === undefined) return false;
      const { id, userId } = session;
      if (!(await this.sessions.end(id, userId, this.clock.now()))) return false;
      await this.history.recordEnd([id], userId, {}, 'leaked');
      const leak = { what: 'session', id, name: '', url } as const;
      await this.outbox.enqueue(authMailJob, { kind: 'token_leaked', subjectId: userId, leak });
      return true;
    });
  }
}
