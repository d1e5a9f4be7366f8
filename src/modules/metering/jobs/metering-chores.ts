import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
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
  private timer: NodeJS.Timeout | undefined;
  private reconciledAtMs = 0;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly partitions: UsagePartitions,
    private readonly sampler: StorageSampler,
    private readonly reconciler: UsageReconciler,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.runIn(EVERY_MS);
  }

  async run(): Promise<void> {
    const now = this.clock.now();
    await this.partitions.ensure(aheadOf(now));
    await this.sampler.sample();
    if (now.getTime() - this.reconciledAtMs < RECONCILE_EVERY_MS) return;
    await this.reconciler.reconcile();
    this.reconciledAtMs = now.getTime();
  }

  private runIn(ms: number): void {
    this.timer = setTimeout(() => {
      this.running = this.run().catch((error: unknown) => {
        // Readiness tells that the database is away.
        this.log.debug({ error }, 'The chores of metering could not be done.');
      }).then(() => { if (!this.stopped) this.runIn(EVERY_MS); });
    }, ms);
    this.timer.unref();
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }
}

/** This month and the two that follow. */
function aheadOf(now: Date): Month[] {
  const present = monthOf(now);
  const next = monthOf(present.end);
  return [present, next, monthOf(next.end)];
}
