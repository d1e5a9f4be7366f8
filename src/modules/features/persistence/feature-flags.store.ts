import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { FeatureFlagChange } from './feature-flag-change.entity.js';
import { FeatureFlagRow } from './feature-flag.entity.js';

/** Every process listens here; it is told when a toggle is committed. */
export const FLAGS_CHANNEL = 'feature_flags';

@Injectable()
export class FeatureFlagsStore {
  constructor(private readonly database: Database) {}

  all(): Promise<FeatureFlagRow[]> {
    return this.database.manager.find(FeatureFlagRow);
  }

  /** Nobody else toggles the flag until the transaction ends, whether or not it has a row. */
  async lock(name: string): Promise<FeatureFlagRow | null> {
    await this.database.manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`feature_flags:${name}`]);
    return this.database.manager.findOneBy(FeatureFlagRow, { name });
  }

  /** The flag, what was changed and the word to every process: all of it or nothing. */
  async save(flag: FeatureFlagRow, change: FeatureFlagChange): Promise<void> {
    await this.database.manager.upsert(FeatureFlagRow, flag, ['name']);
    await this.database.manager.insert(FeatureFlagChange, change);
    await this.database.manager.query('SELECT pg_notify($1, $2)', [FLAGS_CHANNEL, flag.name]);
  }
}
