import { Injectable } from '@nestjs/common';
import { Queues } from '../../../platform/queues/queues.js';
import { Clock } from '../../../platform/time/clock.js';
import { sandboxQueue } from '../jobs/sandbox.queue.js';
import { SandboxStatusService } from '../sandbox-status.service.js';
import { SandboxBusy, SandboxUnavailable } from '../sandbox.errors.js';

/** What a run may wait for a free worker before its caller is told to come back. */
export const MAX_QUEUE_WAIT_MS = 10_000;
/** Each may carry 512 KiB of code, input and files, all of it in the memory of Redis. */
const MAX_WAITING = 1_000;
/** A crowd of callers asks once and not each for itself. */
const CACHE_MS = 50;

interface Counts {
  readonly waiting: number;
  readonly active: number;
}

/** Lets a run in only where it can be expected to begin in time: to wait in vain helps nobody. */
@Injectable()
export class Backlog {
  private cached: { readonly counts: Promise<Counts>; readonly untilMs: number } | undefined;

  constructor(
    private readonly queues: Queues,
    private readonly status: SandboxStatusService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {SandboxUnavailable} when no worker can run code.
   * @throws {SandboxBusy} when the wait would be longer than ten seconds.
   */
  async requireRoom(): Promise<void> {
    const status = await this.status.status();
    if (!status.available) throw new SandboxUnavailable(status.missing);

    const { waiting, active } = await this.counts();
    // A free worker takes a run at once; beyond that, each that ends makes room for one.
    const before = Math.max(0, waiting + active + 1 - status.slots);
    const expectedMs = (before * status.averageRunMs) / status.slots;
    if (expectedMs > MAX_QUEUE_WAIT_MS || waiting >= MAX_WAITING) throw new SandboxBusy(Math.ceil(expectedMs / 1000));
  }

  private counts(): Promise<Counts> {
    const nowMs = this.clock.now().getTime();
    if (this.cached === undefined || this.cached.untilMs <= nowMs) {
      const counts = this.read();
      counts.catch(() => { this.cached = undefined; });
      this.cached = { counts, untilMs: nowMs + CACHE_MS };
    }
    return this.cached.counts;
  }

  private async read(): Promise<Counts> {
    const { waiting = 0, active = 0 } = await this.queues.named(sandboxQueue.name).getJobCounts('waiting', 'active');
    return { waiting, active };
  }
}
