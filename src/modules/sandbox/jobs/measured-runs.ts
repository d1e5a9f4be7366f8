import { Injectable } from '@nestjs/common';
import type { FinishedExecution } from '../executions/execution-ends.js';
import { RunMeasures } from '../metrics/run-measures.js';
import { ExecutionRuns } from '../network/execution-runs.js';
import type { SandboxPayload } from './sandbox.job.js';

/** The assumed duration of a run before the first one was measured. */
const FIRST_GUESS_MS = 50;
/** The weight of the newest run in the moving average. */
const WEIGHT = 0.1;

interface Circumstances {
  readonly signal: AbortSignal;
  /** The directory of the packages of the run. */
  readonly packages?: string | undefined;
}

/** Runs code in this worker, and knows how long recent runs took. */
@Injectable()
export class MeasuredRuns {
  private average = FIRST_GUESS_MS;

  constructor(
    private readonly runs: ExecutionRuns,
    private readonly measures: RunMeasures,
  ) {}

  /** The moving average of recent runs. */
  get averageRunMs(): number {
    return this.average;
  }

  /** @throws {Error} when the platform, not the code, failed, and the reason of an aborted signal. */
  run(job: SandboxPayload, { signal, packages }: Circumstances): Promise<FinishedExecution> {
    return this.measures.measure(job, signal, async (onOutput) => {
      const startedAtMs = performance.now();
      try {
        return await this.runs.run(job, { signal, onOutput, packages });
      } finally {
        this.average += WEIGHT * (performance.now() - startedAtMs - this.average);
      }
    });
  }
}
