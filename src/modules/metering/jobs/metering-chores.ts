import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicJobs } from '../../../platform/background/schedules.js';
import { Clock } from '../../../platform/time/clock.js';
import { type Month, monthOf } from '../month.js';
import { UsageReconciler } from '../reconciliation/usage-reconciler.service.js';
import { UsagePartitions } from '../recording/usage-partitions.js';
import { StorageSampler } from '../storage/storage-sampler.service.js';

const EVERY_MS = 60_000;
const RECONCILE_EVERY_MS = 3_600_000;

/** In the worker, every minute: what metering needs done whether or not anybody asks. */
@Injectable()
export class MeteringChores implements OnApplicationBootstrap {
  private reconciledAtMs = 0;

  constructor(
    private readonly partitions: UsagePartitions,
    private readonly sampler: StorageSampler,
    private readonly reconciler: UsageReconciler,
    private readonly clock: Clock,
    private readonly jobs: PeriodicJobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start({ name: 'the chores of metering', everyMs: EVERY_MS, run: () => this.run() });
  }

  async run(): Promise<void> {
    const now = this.clock.now();
    await this.partitions.ensure(aheadOf(now));
    await this.sampler.sample();
    if (now.getTime() - this.reconciledAtMs < RECONCILE_EVERY_MS) return;
    await this.reconciler.reconcile();
    this.reconciledAtMs = now.getTime();
  }
}

/** This month and the two that follow. */
function aheadOf(now: Date): Month[] {
  const present = monthOf(now);
  const next = monthOf(present.end);
  return [present, next, monthOf(next.end)];
}
