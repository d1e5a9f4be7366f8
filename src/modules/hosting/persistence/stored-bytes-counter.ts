import { Injectable } from '@nestjs/common';
import { PlanLimitCounters } from '../../plans/plan-limit-counters.js';
import { StoredBytesStore } from './stored-bytes.store.js';

/** Counts the bytes in an organization's deploys, for the limits of its plan. */
@Injectable()
export class StoredBytesCounter {
  constructor(counters: PlanLimitCounters, stored: StoredBytesStore) {
    counters.register('bytes_in_deploys', (orgId) => stored.ofOrganization(orgId));
  }
}
