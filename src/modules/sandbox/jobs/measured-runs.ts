import { Injectable } from '@nestjs/common';
import type { LiveSpan } from '../../../platform/tracing/live-span.js';
import { Tracing } from '../../../platform/tracing/tracing.js';
import type { FinishedExecution } from '../executions/execution-ends.js';
import { SandboxMetrics } from '../metrics/sandbox.metrics.js';
import { ExecutionRuns } from '../network/execution-runs.js';
import { OutputRecorder } from '../output/output-recorder.js';
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

/** Runs code in this worker: counted, timed and traced, and with its output kept for those who follow it. */
@Injectable()
export class MeasuredRuns {
  private average = FIRST_GUESS_MS;

  constructor(
    private readonly runs: ExecutionRuns,
    private readonly metrics: SandboxMetrics,
    private readonly outputs: OutputRecorder,
    private readonly tracing: Tracing,
  ) {}

  /** The moving average of recent runs. */
  get averageRunMs(): number {
    return this.average;
  }

  /** @throws {Error} when the platform, not the code, failed, and the reason of an aborted signal. */
  run(job: SandboxPayload, circumstances: Circumstances): Promise<FinishedExecution> {
    const attributes = {
      'service_platform.execution.id': job.executionId,
      'service_platform.sandbox.language': job.language,
    };
    const isFailure = (): boolean => !circumstances.signal.aborted;
    return this.tracing.span('sandbox run', { attributes, isFailure }, (span) => this.runIn(span, job, circumstances));
  }

  private async runIn(
    span: LiveSpan,
    job: SandboxPayload,
    { signal, packages }: Circumstances,
  ): Promise<FinishedExecution> {
    const { executionId, language, keepsOutputMs } = job;
    const startedAtMs = performance.now();
    const output = keepsOutputMs === undefined ? undefined : this.outputs.open(executionId, keepsOutputMs);
    this.metrics.began();
    try {
      const finished = await this.runs.run(job, { signal, onOutput: output?.take, packages });
      const { status, cpuMs } = finished.outcome;
      this.metrics.ended(language, status);
      span.set({ 'service_platform.sandbox.status': status, 'service_platform.sandbox.cpu_ms': cpuMs });
      return finished;
    } catch (error) {
      this.metrics.ended(language, signal.aborted ? 'cancelled' : 'platform_error');
      throw error;
    } finally {
      this.average += WEIGHT * (performance.now() - startedAtMs - this.average);
      await output?.end();
    }
  }
}
