import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { OrgEvents } from '../../events/org-events.js';
import { BucketsStore } from '../persistence/buckets.store.js';

/** A program that keeps trying must not announce it with every attempt. */
const AT_MOST_EVERY_MS = 86_400_000;

/** Announces once a day that an organization has no room for objects. */
@Injectable()
export class StorageFullNotices {
  constructor(
    private readonly database: Database,
    private readonly buckets: BucketsStore,
    private readonly events: OrgEvents,
    private readonly clock: Clock,
  ) {}

  announce(orgId: string, quotaBytes: number): Promise<void> {
    const now = this.clock.now();
    const before = new Date(now.getTime() - AT_MOST_EVERY_MS);
    return this.database.transaction(async () => {
      if (!(await this.buckets.noteFull(orgId, now, before))) return;
      const { sizeBytes, reservedBytes } = await this.buckets.use(orgId);
      const data = { size_bytes: sizeBytes, reserved_bytes: reservedBytes, quota_bytes: quotaBytes };
      await this.events.publish({ orgId, type: 'storage.full', data });
    });
  }
}
