import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { FeatureFlagChange } from './feature-flag-change.entity.js';
import { FeatureFlagRow } from './feature-flag.entity.js';

/** The notification channel of committed toggles, on which every process listens. */
export const FLAGS_CHANNEL = 'feature_flags';

@Injectable()
export class FeatureFlagsStore {
  constructor(private readonly database: Database) {}

  all(): Promise<FeatureFlagRow[]> {
    return this.database.manager.find(FeatureFlagRow);
  }

  /** Locks the flag until the transaction ends, whether or not it has a row. */
  async lock(name: string): Promise<FeatureFlagRow | null> {
    await this.database.manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`feature_flags:${name}`]);
    return this.database.manager.findOneBy(FeatureFlagRow, { name });
  }

  /** Saves the flag, its audit row and the notification to all processes in one transaction. */
  async save(flag: FeatureFlagRow, change: FeatureFlagChange): Promise<void> {
    await this.database.manager.upsert(FeatureFlagRow, flag, ['name']);
    await this.database.manager.insert(FeatureFlagChange, change);
    await this.database.manager.query('SELECT pg_notify($1, $2)', [FLAGS_CHANNEL, flag.name]);
  }
}
