import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Log } from '../../platform/logging/log.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { REMEMBERED_SECONDS } from './tokens/remembered.js';

/** An epoch expires only when no process can have cached an older one. */
const LIFETIME_SECONDS = 6 * REMEMBERED_SECONDS;

/**
 * Announces epochs: numbers that rise whenever the permissions of a user or of the members of an organization change.
 * The module that owns the row raises its epoch. Epochs are read together with the limits in one round trip, so that
 * every process notices a revoked key at its next call (docs/decisions/0016-auth-epochs.md).
 */
@Injectable()
export class AuthEpochs {
  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  /**
   * Announces a raised epoch to every process once the running transaction is committed. When Redis is unavailable,
   * they notice it when their caches are {@link REMEMBERED_SECONDS} old.
   */
  announce(id: string, epoch: string): Promise<void> {
    return this.database.afterCommit(() => this.publish(id, epoch));
  }

  private async publish(id: string, epoch: string): Promise<void> {
    try {
      await this.redis.fast().eval(RAISE, 1, epochKeyOf(id), epoch, LIFETIME_SECONDS);
    } catch (error) {
      this.log.warn(
        { error },
        'Could not announce a change of permissions to other processes; they notice it within 10 s.',
      );
    }
  }
}

/** The Redis key of the epoch of a person or an organization. It is absent when nothing changed lately. */
export const epochKeyOf = (id: string): string => `auth:epoch:${id}`;

/** Two changes may be announced in the wrong order, so the higher epoch stays. */
const RAISE = `
  if tonumber(redis.call('GET', KEYS[1]) or -1) < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  end
`;
