import { Injectable } from '@nestjs/common';
import { latestEndOf, type LifetimeLimit, limitOf } from '../domain/key-lifetime.js';
import { KeyLifetimeExceeded } from '../keys.errors.js';
import { MembershipDirectory } from '../membership-directory.js';
import type { ApiKey } from '../persistence/api-key.entity.js';

/** Keeps keys within the lifetimes that organizations allow. The limits are read each time, as they are now. */
@Injectable()
export class KeyLifetimes {
  constructor(private readonly memberships: MembershipDirectory) {}

  /** Returns the limits of the organizations that a person belongs to. */
  async limitsFor(userId: string): Promise<LifetimeLimit[]> {
    return (await this.memberships.listOf(userId)).flatMap(({ id, slug, keyLifetimeDays }) =>
      keyLifetimeDays === null ? [] : [{ orgId: id, slug, days: keyLifetimeDays }],
    );
  }

  /**
   * Gives a new key that asks for no expiry the longest one that its organizations allow.
   *
   * @throws {KeyLifetimeExceeded} `key_lifetime_exceeded`: it asks for a later one.
   */
  async apply(key: ApiKey): Promise<void> {
    const limit = limitOf(key, await this.limitsFor(key.userId));
    if (limit !== undefined && key.expiresAt === null) key.expiresAt = latestEndOf(key, limit);
    else requireWithin(key, limit);
  }

  /** @throws {KeyLifetimeExceeded} `key_lifetime_exceeded` */
  async require(key: ApiKey): Promise<void> {
    requireWithin(key, limitOf(key, await this.limitsFor(key.userId)));
  }
}

function requireWithin(key: ApiKey, limit: LifetimeLimit | undefined): void {
  if (limit === undefined) return;
  const latest = latestEndOf(key, limit);
  if (key.expiresAt === null || key.expiresAt > latest) throw new KeyLifetimeExceeded(limit, latest);
}
