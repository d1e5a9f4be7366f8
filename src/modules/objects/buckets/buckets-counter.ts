import { Injectable } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { BucketsStore } from '../persistence/buckets.store.js';

/** Counts the buckets of an organization, and what they store, for the limits of its plan. */
@Injectable()
export class BucketsCounter {
  constructor(counters: PlanLimitCounters, buckets: BucketsStore) {
    counters.register('buckets', (orgId) => buckets.count(orgId));
    counters.register('bytes_in_buckets', async (orgId) => (await buckets.use(orgId)).sizeBytes);
  }
}
