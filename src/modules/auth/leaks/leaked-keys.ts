import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { authMailJob } from '../auth-mail.job.js';
import { KeyHistory } from '../keys/key-history.js';
import { type LeakHandler, type LeakPlace, LeakedTokens } from '../leaked-tokens.js';
import type { ApiKey } from '../persistence/api-key.entity.js';
import { ApiKeyStore } from '../persistence/api-key.store.js';
import { LeakedTokensStore } from '../persistence/leaked-tokens.store.js';

/**
 * Revokes API keys whose secret is public. A secret that was replaced ends alone, because the key goes on with another
 * one, which nobody else has.
 */
@Injectable()
export class LeakedKeys implements LeakHandler {
  constructor(
    private readonly database: Database,
    private readonly store: LeakedTokensStore,
    private readonly keys: ApiKeyStore,
    private readonly history: KeyHistory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    leaked: LeakedTokens,
  ) {
    for (const kind of ['pat', 'sel', 'org'] as const) leaked.register(kind, this);
  }

  findKnown(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.store.knownKeySecrets(hashes);
  }

  end(hash: Buffer, place: LeakPlace): Promise<boolean> {
    return this.database.transaction(async () => {
      const found = await this.store.lockKey(hash);
      if (found === undefined || found.key.revokedAt !== null) return false;
      const { key, isReplaced } = found;
      return isReplaced ? this.endReplacedSecret(key, hash, place) : this.revoke(key, place);
    });
  }

  private async revoke(key: ApiKey, place: LeakPlace): Promise<true> {
    key.revoke(this.clock.now());
    await this.keys.save(key);
    await this.history.recordChange({}, 'key.revoked', key, { reason: 'leaked', ...place });
    await this.notify(key, 'api_key', place);
    return true;
  }

  private async endReplacedSecret(key: ApiKey, hash: Buffer, place: LeakPlace): Promise<boolean> {
    if (!(await this.store.endKeySecret(hash, this.clock.now()))) return false;
    await this.history.recordChange({}, 'key.secret_ended', key, { reason: 'leaked', ...place });
    await this.notify(key, 'api_key_secret', place);
    return true;
  }

  private async notify(
    { id, userId, name }: ApiKey,
    what: 'api_key' | 'api_key_secret',
    { url }: LeakPlace,
  ): Promise<void> {
    const leak = { what, id, name, url };
    await this.outbox.enqueue(authMailJob, { kind: 'token_leaked', subjectId: userId, leak });
  }
}
