import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { REMEMBERED_SECONDS } from './remembered.js';

/** Only what nobody can still remember may be forgotten. */
const LIFETIME_SECONDS = 6 * REMEMBERED_SECONDS;

export type EpochOf = 'users' | 'organizations';

/**
 * Numbers that rise whenever what a person, or the members of an organization, may do has changed. They ride with the
 * limits in one round trip, so that every process sees a revoked key at its next call
 * (docs/decisions/0016-auth-epochs.md).
 */
@Injectable()
export class AuthEpochs {
  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  /**
   * Raises the epoch with the running transaction and tells every process once that is committed. Where Redis is away,
   * they learn it when what they remember is {@link REMEMBERED_SECONDS} old.
   */
  async raise(what: EpochOf, id: string): Promise<void> {
    // Waits for others that change the same row; the order of commits is then the order of epochs.
    const [rows] = await this.database.manager.query<[{ auth_epoch: string }[], number]>(
      `UPDATE ${what} SET auth_epoch = auth_epoch + 1 WHERE id = $1 RETURNING auth_epoch`,
      [id],
    );
    const epoch = rows[0]?.auth_epoch;
    if (epoch !== undefined) await this.database.afterCommit(() => this.tell(id, epoch));
  }

  private async tell(id: string, epoch: string): Promise<void> {
    try {
      await this.redis.fast().eval(RAISE, 1, epochKeyOf(id), epoch, LIFETIME_SECONDS);
    } catch (error) {
      this.log.warn(
        { error },
        'A change of rights could not be told to other processes; they see it within ten seconds.',
      );
    }
  }
}

/** Where Redis keeps the epoch of a person or an organization; absent: it has not changed of late. */
export const epochKeyOf = (id: string): string => `auth:epoch:${id}`;

/** Two changes may be told in the wrong order: the higher one stays. */
const RAISE = `
  if tonumber(redis.call('GET', KEYS[1]) or -1) < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  end
`;
