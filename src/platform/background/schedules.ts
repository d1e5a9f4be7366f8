import { Injectable } from '@nestjs/common';
import { Log } from '../logging/log.js';
import { Shutdown } from '../lifecycle/shutdown.js';

export interface PeriodicJob {
  /** What it does, in the words of a log line: `sweeping executions`. */
  readonly name: string;
  /** From the end of one run to the beginning of the next. */
  readonly everyMs: number;
  /** From the start of the process to its first run; `everyMs` when left out. */
  readonly firstAfterMs?: number;
  /** Several processes may run it at once, one process never does. A run that may take long ends early when `stopping` is aborted. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/**
 * Does things every so often for as long as the process lives: one run after the other, and at the end of the process the
 * last one is waited for. A run that fails is tried again at its next turn.
 */
@Injectable()
export class PeriodicJobs {
  private readonly stopping = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  start(job: PeriodicJob): void {
    this.runIn(job.firstAfterMs ?? job.everyMs, job, false);
  }

  private runIn(ms: number, job: PeriodicJob, failedLast: boolean): void {
    if (this.stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      const run = this.run(job, failedLast).then((failed) => {
        this.running.delete(run);
        this.runIn(job.everyMs, job, failed);
      });
      this.running.add(run);
    }, ms);
    timer.unref();
    this.timers.add(timer);
  }

  /** Says once that it fails, and once that it does no longer: while a server is away it would fail at every turn. */
  private async run(job: PeriodicJob, failedLast: boolean): Promise<boolean> {
    try {
      await job.run(this.stopping.signal);
    } catch (error) {
      if (this.stopping.signal.aborted) return true;
      if (failedLast) this.log.debug({ error, job: job.name }, 'A periodic job failed again.');
      else this.log.warn({ error, job: job.name }, 'A periodic job failed; it is tried again at each of its turns.');
      return true;
    }
    if (failedLast) this.log.info({ job: job.name }, 'A periodic job that had failed has succeeded.');
    return false;
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.running);
  }
}
