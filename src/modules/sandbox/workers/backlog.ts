import { Injectable } from '@nestjs/common';
import { JobTurns, type Subject, type Turn } from '../../../platform/queues/job-turns.js';
import { LocalJobs } from '../../../platform/queues/local-jobs.js';
import { sandboxJob } from '../jobs/sandbox.job.js';
import { SandboxStatusService } from '../sandbox-status.service.js';
import { SandboxBusy, SandboxUnavailable } from '../sandbox.errors.js';

/** Each queued run may hold 512 KiB of code, input and files in the memory of Redis. */
const MAX_WAITING = 1_000;
/** Between {@link MAX_WAITING} and this number, only a subject without queued runs is admitted. */
const HARD_MAX_WAITING = 2 * MAX_WAITING;

interface Expectation extends Turn {
  readonly expectedMs: number;
}

/** Admits a run only if it can be expected to start in time, so that no caller waits in vain. */
@Injectable()
export class Backlog {
  constructor(
    private readonly turns: JobTurns,
    private readonly status: SandboxStatusService,
    private readonly local: LocalJobs,
  ) {}

  /**
   * @param subject the organization that takes turns with others, or the address of a caller without one.
   * @param withinMs the longest time that the run may wait in the queue.
   * @throws {SandboxUnavailable} when no worker can run code.
   * @throws {SandboxBusy} when it would wait longer than that.
   */
  async requireRoom(subject: Subject, withinMs: number): Promise<void> {
    if (this.local.hasRoom(sandboxJob.name)) return;
    const { expectedMs, own, waiting } = await this.expect(subject);
    const isFull = waiting >= MAX_WAITING && (own > 0 || waiting >= HARD_MAX_WAITING);
    if (expectedMs > withinMs || isFull) throw new SandboxBusy(expectedMs, withinMs);
  }

  /** Creates the error for a run that was admitted but did not start in time. */
  async refusal(subject: Subject, withinMs: number, cause?: unknown): Promise<SandboxBusy> {
    return new SandboxBusy((await this.expect(subject)).expectedMs, withinMs, cause);
  }

  private async expect(subject: Subject): Promise<Expectation> {
    const [status, turn] = await Promise.all([this.status.status(), this.turns.look(sandboxJob, subject)]);
    if (!status.available) throw new SandboxUnavailable(status.missing);

    // A free slot takes a run at once. After that, each run that ends makes room for one.
    const before = Math.max(0, turn.ahead + turn.active + 1 - status.slots);
    return { ...turn, expectedMs: (before * status.averageRunMs) / status.slots };
  }
}
