import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { ArtifactReceivers } from '../artifacts/artifact-receivers.js';
import type { ArtifactSink } from '../domain/artifacts.js';
import type { FinishedExecution } from '../executions/execution-ends.js';
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
/** Storing artifacts may take as long as the run may last, and this. The caller waits a little longer than that. */
const STORE_WITHIN_MS = 1_000;

@Injectable()
@Handles(sandboxJob)
export class SandboxProcessor implements JobHandler<SandboxPayload, ExecutionResult | null> {
  private average = FIRST_GUESS_MS;

  constructor(
    private readonly runtime: SandboxRuntime,
    private readonly metrics: SandboxMetrics,
    private readonly recorder: ExecutionRecorder,
    private readonly outputs: OutputRecorder,
    private readonly artifacts: ArtifactReceivers,
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
      const recorded = this.recorder.record(job.recordedFor, job, { signal, waitedMs }, () =>
        this.runKeeping(job, signal),
      );
      if (job.keepsOutputMs === undefined) await recorded;
      else await recorded.finally(() => void this.signals.notifyEnd(job.executionId));
      return null;
    }
    if (this.clock.now().getTime() > job.startBeforeMs)
      throw new Error('The run waited in the queue longer than its caller.');
    return { queueMs: waitedMs, outcome: await this.run(job, signal) };
  }

  /** Stores the artifacts while the program sends them. */
  private async runKeeping(job: SandboxPayload, signal: AbortSignal): Promise<FinishedExecution> {
    const { executionId, recordedFor, limits } = job;
    if (limits.artifactBytes === undefined || recordedFor === undefined)
      return { outcome: await this.run(job, signal), artifacts: null };
    const owner = { executionId, orgId: recordedFor };
    const receiver = this.artifacts.open(owner, limits.timeoutMs + STORE_WITHIN_MS);
    try {
      const { artifactErrors = [], ...outcome } = await this.run(job, signal, receiver);
      const { artifacts, errors } = await receiver.end();
      return { outcome, artifacts: { kept: artifacts, errors: [...artifactErrors, ...errors] } };
    } catch (error) {
      await receiver.end();
      throw error;
    }
  }

  private async run(
    { executionId, language, code, stdin, files = [], options = {}, limits, keepsOutputMs }: SandboxPayload,
    signal: AbortSignal,
    artifacts?: ArtifactSink,
  ): Promise<SandboxOutcome> {
    const startedAtMs = performance.now();
    const output = keepsOutputMs === undefined ? undefined : this.outputs.open(executionId, keepsOutputMs);
    this.metrics.began();
    try {
      const outcome = await this.runtime.run(
        { id: executionId, language, code, stdin, files, options, limits },
        signal,
        output?.take,
        artifacts,
      );
      this.metrics.ended(language, outcome.status);
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
