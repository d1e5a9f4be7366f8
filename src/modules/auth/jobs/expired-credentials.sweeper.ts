import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicJobs } from '../../../platform/background/schedules.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExpiredCredentialsStore, EXPIRING_TABLES } from '../persistence/expired-credentials.store.js';

const SWEEP_EVERY_MS = 10 * 60_000;
const KEPT_MS = 30 * 86_400_000;
const BATCH = 1_000;
/** Of each table in one sweep: the rest has time until the next. */
const BATCHES = 20;

/**
 * In the worker: deletes sessions, e-mail tokens and invitations that have been over for thirty days. Keys stay: an old one
 * is told what became of it. What was done with any of them is in the audit log.
 */
@Injectable()
export class ExpiredCredentialsSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly expired: ExpiredCredentialsStore,
    private readonly clock: Clock,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'sweeping credentials that are over', everyMs: SWEEP_EVERY_MS, run: () => this.sweep() });
  }

  async sweep(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    for (const table of EXPIRING_TABLES) {
      for (let batch = 0; batch < BATCHES; batch++) {
        if ((await this.expired.delete(table, before, BATCH)) < BATCH) break;
      }
    }
  }
}
