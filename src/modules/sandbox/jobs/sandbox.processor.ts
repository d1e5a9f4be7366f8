import { Injectable } from '@nestjs/common';
import { type JobContext, type JobHandler, JobPostponed } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import type { LayerLease } from '../../builds/package-layers.js';
import type { WantedPackages } from '../domain/packages.js';
import type { FinishedExecution } from '../executions/execution-ends.js';
import { ExecutionRecorder } from '../executions/execution-recorder.js';
import { OutputSignals } from '../output/output-signals.js';
import { PackageInstaller } from '../packages/package-installer.js';
import type { RecordedEnd } from '../executions/execution-recorder.js';
import type { EndedRun } from '../persistence/sandbox-execution.entity.js';
import type { ExecutionResult } from '../runs/sandbox.service.js';
import { MeasuredRuns } from './measured-runs.js';
import { sandboxJob, type SandboxPayload } from './sandbox.job.js';

type Lease = LayerLease | (Pick<LayerLease, 'release'> & { readonly error: unknown });

type Result = ExecutionResult | EndedRun | null;

/** Longer ones would be copied more often than they are worth. */
const SHORT_OUTPUT_CHARACTERS = 65_536;

@Injectable()
@Handles(sandboxJob)
export class SandboxProcessor implements JobHandler<SandboxPayload, Result> {
  constructor(
    private readonly runs: MeasuredRuns,
    private readonly recorder: ExecutionRecorder,
    private readonly signals: OutputSignals,
    private readonly packages: PackageInstaller,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the short result of a recorded execution to a caller on this machine. Otherwise it returns null, because
   * the result is in the row.
   */
  async handle(job: SandboxPayload, context: JobContext): Promise<Result> {
    const lease = job.packages === undefined ? undefined : await this.leaseOf(job, job.packages);
    try {
      return await this.handleWith(lease, job, context);
    } finally {
      lease?.release();
    }
  }

  /** The job goes back to its queue while this machine installs its packages. */
  private async leaseOf({ startBeforeMs }: SandboxPayload, wanted: WantedPackages): Promise<Lease> {
    try {
      return await this.packages.leaseOrPostpone(wanted);
    } catch (error) {
      const release = (): void => undefined;
      if (!(error instanceof JobPostponed)) return { error, release };
      if (this.clock.now().getTime() < startBeforeMs) throw error;
      return { error: new Error('The packages were not installed in time.'), release };
    }
  }

  private async handleWith(lease: Lease | undefined, job: SandboxPayload, context: JobContext): Promise<Result> {
    const { signal, waitedMs, isHandedOver = false } = context;
    const run = (): Promise<FinishedExecution> => this.run(job, lease, signal);
    if (job.recordedFor !== undefined) {
      const recorded = this.recorder.record(job.recordedFor, job, context, run);
      const end =
        job.keepsOutputMs === undefined
          ? await recorded
          : await recorded.finally(() => void this.signals.notifyEnd(job.executionId));
      return isHandedOver && end !== null && isShort(end) ? endedRunOf(end) : null;
    }
    if (this.clock.now().getTime() > job.startBeforeMs)
      throw new Error('The run waited in the queue longer than its caller.');
    const { outcome } = await run();
    return { queueMs: waitedMs, outcome };
  }

  private async run(job: SandboxPayload, lease: Lease | undefined, signal: AbortSignal): Promise<FinishedExecution> {
    // Without its packages the code does not run.
    if (lease !== undefined && 'error' in lease) throw lease.error;
    return this.runs.run(job, { signal, packages: lease?.directory });
  }
}

const isShort = ({ outcome, artifacts }: RecordedEnd): boolean =>
  artifacts === null &&
  outcome.results === undefined &&
  outcome.stdout.length + outcome.stderr.length <= SHORT_OUTPUT_CHARACTERS;

const endedRunOf = ({ outcome, costNano, finishedAt, beginning }: RecordedEnd): EndedRun => ({
  outcome,
  startedAtMs: beginning.startedAt.getTime(),
  queueMs: beginning.queueMs,
  givesUpAtMs: beginning.givesUpAt.getTime(),
  finishedAtMs: finishedAt.getTime(),
  costNano: costNano?.toString() ?? null,
});
