import { isDatabaseUnavailable } from '../database/database-unavailable.js';
import { isRedisUnavailable } from '../redis/redis-unavailable.js';
import { isStorageFull } from '../storage/storage-full.js';
import { DomainError } from './domain-error.js';
import { ServiceUnavailable, StorageUnavailable } from './platform.errors.js';

/** Returns what was thrown as an error that callers see; undefined for what nobody expected. */
export function knownErrorOf(thrown: unknown): DomainError | undefined {
  if (thrown instanceof DomainError) return thrown;
  if (isStorageFull(thrown)) return new StorageUnavailable(thrown);
  if (isDatabaseUnavailable(thrown) || isRedisUnavailable(thrown)) return new ServiceUnavailable(thrown);
  return undefined;
}
