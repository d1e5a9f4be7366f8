import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import type { FinishedExecution } from '../executions/execution-ends.js';
import { ExecutionRecorder } from '../executions/execution-recorder.js';
import { ExecutionRuns } from '../network/execution-runs.js';
import { OutputRecorder } from '../output/output-recorder.js';
import { OutputSignals } from '../output/output-signals.js';
import { SandboxMetrics } from '../metrics/sandbox.metrics.js';
import type { ExecutionResult } from '../runs/sandbox.service.js';
import { sandboxJob, type SandboxPayload } from './sandbox.job.js';

/** The assumed duration of a run before the first one was measured. */
const FIRST_GUESS_MS = 50;
/** The weight of the newest run in the moving average. */
const WEIGHT = 0.1;

@Injectable()
@Handles(sandboxJob)
export class SandboxProcessor implements JobHandler<SandboxPayload, ExecutionResult | null> {
  private average = FIRST_GUESS_MS;

  constructor(
    private readonly runs: ExecutionRuns,
    private readonly metrics: SandboxMetrics,
    private readonly recorder: ExecutionRecorder,
    private readonly outputs: OutputRecorder,
    private readonly signals: OutputSignals,
    private readonly clock: Clock,
  ) {}

  /** The moving average of recent runs. */
  get averageRunMs(): number {
    return this.average;
  }

  /** Returns null for a recorded execution, because its result is in its row. */
  async handle(job: SandboxPayload, { signal, waitedMs }: JobContext): Promise<ExecutionResult | null> {
    if (job.recordedFor !== undefined) {
      const recorded = this.recorder.record(job.recordedFor, job, { signal, waitedMs }, () => this.run(job, signal));
      if (job.keepsOutputMs === undefined) await recorded;
      else await recorded.finally(() => void this.signals.notifyEnd(job.executionId));
      return null;
    }
    if (this.clock.now().getTime() > job.startBeforeMs)
      throw new Error('The run waited in the queue longer than its caller.');
    const { outcome } = await this.run(job, signal);
    return { queueMs: waitedMs, outcome };
  }

  private async run(job: SandboxPayload, signal: AbortSignal): Promise<FinishedExecution> {
    const { executionId, language, keepsOutputMs } = job;
    const startedAtMs = performance.now();
    const output = keepsOutputMs === undefined ? undefined : this.outputs.open(executionId, keepsOutputMs);
    this.metrics.began();
    try {
      const finished = await this.runs.run(job, signal, output?.take);
      this.metrics.ended(language, finished.outcome.status);
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
