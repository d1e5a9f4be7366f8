import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

/** What is closed first stands first: nothing may lose a thing that it still needs. */
const PHASES = ['workers', 'queues', 'database', 'redis'] as const;
type Phase = (typeof PHASES)[number];
type Step = () => Promise<void> | void;

/** From the signal on: what requests and then jobs have to finish in. The process is gone within 25 s. */
const REQUESTS_END_AFTER_MS = 15_000;
const JOBS_END_AFTER_MS = 18_000;
/** Closing a connection takes milliseconds, unless its server is away. */
const CLOSE_WITHIN_MS = 1_000;

/** Says when the service is about to stop, and closes its parts in order once HTTP has ended. */
@Injectable()
export class Shutdown implements OnApplicationShutdown {
  private readonly logger = new Logger(Shutdown.name);
  private readonly steps = new Map<Phase, Step[]>(PHASES.map((phase) => [phase, []]));
  private begunAtMs: number | undefined;

  /** From now on `/ready` answers 503 `shutting_down`, so that no new caller is sent here. */
  get isDraining(): boolean {
    return this.begunAtMs !== undefined;
  }

  /** @param elapsedMs how long ago the service as a whole was told to stop. */
  beginDraining(elapsedMs = 0): void {
    this.begunAtMs ??= performance.now() - elapsedMs;
  }

  /** What running requests are still given. */
  get requestsLeftMs(): number {
    return this.leftOf(REQUESTS_END_AFTER_MS);
  }

  /** What running jobs are still given; what outlasts it is ended. */
  get jobsLeftMs(): number {
    return this.leftOf(JOBS_END_AFTER_MS);
  }

  /** `step` runs when HTTP has ended, beside the others of its phase. It is not waited for without end. */
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
