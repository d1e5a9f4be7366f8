import { Injectable } from '@nestjs/common';
import type { LiveSpan } from '../../../platform/tracing/live-span.js';
import { Tracing } from '../../../platform/tracing/tracing.js';
import type { Language, OutputListener } from '../domain/sandbox-runtime.js';
import type { FinishedExecution } from '../executions/execution-ends.js';
import { OutputRecorder } from '../output/output-recorder.js';
import { SandboxMetrics } from './sandbox.metrics.js';

/** A run, as far as it is measured. */
export interface MeasuredRun {
  readonly executionId: string;
  readonly language: Language;
  /** See `SandboxPayload`. */
  readonly keepsOutputMs?: number | undefined;
}

type Work = (onOutput: OutputListener | undefined) => Promise<FinishedExecution>;

/** Counts and traces runs in this worker, and keeps their output for those who follow it. */
@Injectable()
export class RunMeasures {
  constructor(
    private readonly metrics: SandboxMetrics,
    private readonly outputs: OutputRecorder,
    private readonly tracing: Tracing,
  ) {}

  /**
   * @param signal says whether a run that failed was ended by someone.
   * @throws what `work` throws.
   */
  measure(run: MeasuredRun, signal: AbortSignal, work: Work): Promise<FinishedExecution> {
    const attributes = {
      'service_platform.execution.id': run.executionId,
      'service_platform.sandbox.language': run.language,
    };
    const isFailure = (): boolean => !signal.aborted;
    return this.tracing.span('sandbox run', { attributes, isFailure }, (span) => this.during(span, run, signal, work));
  }

  private async during(
    span: LiveSpan,
    { executionId, language, keepsOutputMs }: MeasuredRun,
    signal: AbortSignal,
    work: Work,
  ): Promise<FinishedExecution> {
    const output = keepsOutputMs === undefined ? undefined : this.outputs.open(executionId, keepsOutputMs);
    this.metrics.began();
    try {
      const finished = await work(output?.take);
      const { status, cpuMs } = finished.outcome;
      this.metrics.ended(language, status);
      span.set({ 'service_platform.sandbox.status': status, 'service_platform.sandbox.cpu_ms': cpuMs });
      return finished;
    } catch (error) {
      this.metrics.ended(language, signal.aborted ? 'cancelled' : 'platform_error');
      throw error;
    } finally {
      await output?.end();
    }
  }
}
