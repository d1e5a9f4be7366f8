import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../../../platform/queues/queue-definition.js';
import { Clock } from '../../../platform/time/clock.js';
import { SandboxRuntime } from '../sandbox-runtime.js';
import { SandboxMetrics } from '../sandbox.metrics.js';
import type { ExecutionResult } from '../sandbox.service.js';
import type { SandboxJob } from './sandbox.queue.js';

/** What a run is taken to last before any has been seen. */
const FIRST_GUESS_MS = 50;
/** How much the newest run counts in the average. */
const WEIGHT = 0.1;

@Injectable()
export class SandboxProcessor implements JobHandler<SandboxJob, ExecutionResult> {
  private average = FIRST_GUESS_MS;

  constructor(
    private readonly runtime: SandboxRuntime,
    private readonly metrics: SandboxMetrics,
    private readonly clock: Clock,
  ) {}

  /** What a run has lasted of late. */
  get averageRunMs(): number {
    return this.average;
  }

  async handle(job: SandboxJob, { signal, waitedMs }: JobContext): Promise<ExecutionResult> {
    const { executionId, language, code, stdin, limits, startBeforeMs } = job;
    if (this.clock.now().getTime() > startBeforeMs) throw new Error('The run waited so long that its caller has gone.');
    const startedAtMs = performance.now();
    this.metrics.began();
    try {
      const outcome = await this.runtime.run({ id: executionId, language, code, stdin, limits }, signal);
      this.metrics.ended(language, outcome.status);
      return { queueMs: waitedMs, outcome };
    } catch (error) {
      this.metrics.ended(language, signal.aborted ? 'cancelled' : 'platform_error');
      throw error;
    } finally {
      this.average += WEIGHT * (performance.now() - startedAtMs - this.average);
    }
  }
}
