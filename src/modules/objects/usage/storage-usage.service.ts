import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { BucketsStore } from '../persistence/buckets.store.js';
import { quotaBytesOf } from '../writes/write-gate.js';

export interface StorageUsage {
  readonly sizeBytes: number;
  readonly reservedBytes: number;
  readonly quotaBytes: number;
  readonly buckets: number;
  readonly bucketsLimit: number;
}

/** What an organization stores in all its buckets, and what its plan includes. */
@Injectable()
export class StorageUsageService {
  constructor(
    private readonly buckets: BucketsStore,
    private readonly orgs: OrgDirectory,
  ) {}

  /** Returns the usage of the organization of the call. */
  async of({ org }: Call): Promise<StorageUsage> {
    const plan = PLANS[(await this.orgs.planOf(org.id)) ?? org.plan];
    return {
      ...(await this.buckets.use(org.id)),
      quotaBytes: quotaBytesOf(plan),
      buckets: await this.buckets.count(org.id),
      bucketsLimit: plan.storage.buckets,
    };
  }
}
