import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import type { LiveSpan } from '../../../platform/tracing/live-span.js';
import { Tracing } from '../../../platform/tracing/tracing.js';
import { ExecutionRecorder } from '../executions/execution-recorder.js';
import { type SandboxOutcome, SandboxRuntime } from '../domain/sandbox-runtime.js';
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
    private readonly runtime: SandboxRuntime,
    private readonly metrics: SandboxMetrics,
    private readonly recorder: ExecutionRecorder,
    private readonly outputs: OutputRecorder,
    private readonly signals: OutputSignals,
    private readonly clock: Clock,
    private readonly tracing: Tracing,
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
    return { queueMs: waitedMs, outcome: await this.run(job, signal) };
  }

  private run(job: SandboxPayload, signal: AbortSignal): Promise<SandboxOutcome> {
    const { executionId, language } = job;
    const attributes = {
      'service_platform.execution.id': executionId,
      'service_platform.sandbox.language': language,
    };
    const isFailure = (): boolean => !signal.aborted;
    return this.tracing.span('sandbox run', { attributes, isFailure }, (span) => this.runIn(span, job, signal));
  }

  private async runIn(
    span: LiveSpan,
    { executionId, language, code, stdin, files = [], options = {}, limits, keepsOutputMs }: SandboxPayload,
    signal: AbortSignal,
  ): Promise<SandboxOutcome> {
    const startedAtMs = performance.now();
    const output = keepsOutputMs === undefined ? undefined : this.outputs.open(executionId, keepsOutputMs);
    this.metrics.began();
    try {
      const outcome = await this.runtime.run(
        { id: executionId, language, code, stdin, files, options, limits },
        signal,
        output?.take,
      );
      this.metrics.ended(language, outcome.status);
      span.set({ 'service_platform.sandbox.status': outcome.status, 'service_platform.sandbox.cpu_ms': outcome.cpuMs });
      return outcome;
    } catch (error) {
      this.metrics.ended(language, signal.aborted ? 'cancelled' : 'platform_error');
      throw error;
    } finally {
      this.average += WEIGHT * (performance.now() - startedAtMs - this.average);
      await output?.end();
    }
  }
}
