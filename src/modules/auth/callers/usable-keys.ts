import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeyExpired, ApiKeyInvalid, ApiKeyRevoked, ApiKeyRotated } from '../auth.errors.js';
import { KeyLookupStore, type KeyRecord } from '../persistence/key-lookup.store.js';
import { SecretHasher } from '../secret-hasher.js';

/** Finds API keys by their secrets, and refuses those that no longer work. */
@Injectable()
export class UsableKeys {
  constructor(
    private readonly keys: KeyLookupStore,
    private readonly hasher: SecretHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {ApiKeyInvalid} `invalid_api_key`
   * @throws {ApiKeyExpired} `expired_api_key`
   * @throws {ApiKeyRevoked} `revoked_api_key`
   * @throws {ApiKeyRotated} `rotated_api_key`
   */
  async get(token: string): Promise<KeyRecord> {
    const key = await this.keys.find(this.hasher.hashes(token));
    if (key === undefined) throw new ApiKeyInvalid();
    this.requireUsable(key);
    return key;
  }

  /**
   * {@link get} by the id of a key, for an access token that names it.
   *
   * @throws {ApiKeyInvalid} `invalid_api_key`
   * @throws {ApiKeyExpired} `expired_api_key`
   * @throws {ApiKeyRevoked} `revoked_api_key`
   */
  async getGranted(keyId: string): Promise<KeyRecord> {
    const key = await this.keys.findGranted(keyId);
    if (key === undefined) throw new ApiKeyInvalid();
    this.requireUsable(key);
    return key;
  }

  /** Each reason has its own error (service document §5). A deliberate one comes before the expiry. */
  private requireUsable({ revokedAt, worksUntil, expiresAt }: KeyRecord): void {
    const now = this.clock.now();
    if (revokedAt !== null) throw new ApiKeyRevoked();
    if (worksUntil !== null && worksUntil <= now) throw new ApiKeyRotated();
    if (expiresAt !== null && expiresAt <= now) throw new ApiKeyExpired(expiresAt);
  }
}
