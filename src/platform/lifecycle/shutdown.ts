import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

/** The phases run in this order, so that nothing loses a resource that it still needs. */
const PHASES = ['workers', 'queues', 'database', 'redis'] as const;
type Phase = (typeof PHASES)[number];
type Step = () => Promise<void> | void;

/** How long requests, and then jobs, may take to finish after the signal. The process ends within 25 s. */
const REQUESTS_END_AFTER_MS = 15_000;
const JOBS_END_AFTER_MS = 18_000;
/** Closing a connection takes milliseconds, unless its server is unavailable. */
const CLOSE_WITHIN_MS = 1_000;

/** Reports when the service is about to stop, and closes its parts in order once HTTP has ended. */
@Injectable()
export class Shutdown implements OnApplicationShutdown {
  private readonly logger = new Logger(Shutdown.name);
  private readonly steps = new Map<Phase, Step[]>(PHASES.map((phase) => [phase, []]));
  private begunAtMs: number | undefined;

  /**
   * True from the first signal on: `/ready` then returns 503 `shutting_down`, so that load balancers send no new
   * callers.
   */
  get isDraining(): boolean {
    return this.begunAtMs !== undefined;
  }

  /** @param elapsedMs how long ago the service as a whole received the signal to stop. */
  beginDraining(elapsedMs = 0): void {
    this.begunAtMs ??= performance.now() - elapsedMs;
  }

  /** How much time running requests have left. */
  get requestsLeftMs(): number {
    return this.leftOf(REQUESTS_END_AFTER_MS);
  }

  /** How much time running jobs have left; longer ones are ended. */
  get jobsLeftMs(): number {
    return this.leftOf(JOBS_END_AFTER_MS);
  }

  /**
   * Registers a step that runs after HTTP has ended, together with the others of its phase. The wait for it is limited.
   */
  at(phase: Phase, step: Step): void {
    this.steps.get(phase)!.push(step);
  }

  async onApplicationShutdown(): Promise<void> {
    this.beginDraining();
    for (const phase of PHASES) {
      const withinMs = CLOSE_WITHIN_MS + (phase === 'workers' ? this.jobsLeftMs : 0);
      await Promise.race([this.run(phase), sleep(withinMs, undefined, { ref: false })]);
    }
  }

  private leftOf(wholeMs: number): number {
    const sinceMs = this.begunAtMs === undefined ? 0 : performance.now() - this.begunAtMs;
    return Math.max(0, wholeMs - sinceMs);
  }

  private async run(phase: Phase): Promise<void> {
    const ended = await Promise.allSettled(
      this.steps.get(phase)!.map(async (step) => {
        await step();
      }),
    );
    for (const result of ended) {
      if (result.status === 'rejected') this.logger.error(result.reason);
    }
  }
}
