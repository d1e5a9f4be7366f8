import { Injectable } from '@nestjs/common';
import { JobTurns, type Turn } from '../../../platform/queues/job-turns.js';
import { sandboxJob } from '../jobs/sandbox.job.js';
import { SandboxStatusService } from '../sandbox-status.service.js';
import { SandboxBusy, SandboxUnavailable } from '../sandbox.errors.js';

/** Each may carry 512 KiB of code, input and files, all of it in the memory of Redis. */
const MAX_WAITING = 1_000;
/** Beyond {@link MAX_WAITING}, a subject of which nothing waits is still let in. */
const MAX_WAITING_AT_ALL = 2 * MAX_WAITING;

interface Expectation extends Turn {
  readonly expectedMs: number;
}

/** Lets a run in only where it can be expected to begin in time: to wait in vain helps nobody. */
@Injectable()
export class Backlog {
  constructor(
    private readonly turns: JobTurns,
    private readonly status: SandboxStatusService,
  ) {}

  /**
   * @param subject who takes turns with the others: an organization, or all callers without one together.
   * @param withinMs what the run may wait for its turn.
   * @throws {SandboxUnavailable} when no worker can run code.
   * @throws {SandboxBusy} when it would wait longer than that.
   */
  async requireRoom(subject: string, withinMs: number): Promise<void> {
    const { expectedMs, own, waiting } = await this.expect(subject);
    const isFull = waiting >= MAX_WAITING && (own > 0 || waiting >= MAX_WAITING_AT_ALL);
    if (expectedMs > withinMs || isFull) throw new SandboxBusy(expectedMs, withinMs);
  }

  /** For a run that was let in and whose turn did not come in time. */
  async refusal(subject: string, withinMs: number, cause?: unknown): Promise<SandboxBusy> {
    return new SandboxBusy((await this.expect(subject)).expectedMs, withinMs, cause);
  }

  private async expect(subject: string): Promise<Expectation> {
    const [status, turn] = await Promise.all([this.status.status(), this.turns.look(sandboxJob, subject)]);
    if (!status.available) throw new SandboxUnavailable(status.missing);

    // A free worker takes a run at once; beyond that, each run that ends makes room for one.
    const before = Math.max(0, turn.ahead + turn.active + 1 - status.slots);
    return { ...turn, expectedMs: (before * status.averageRunMs) / status.slots };
  }
}
