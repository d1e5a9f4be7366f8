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
import type { ExecutionResult } from '../runs/sandbox.service.js';
import { MeasuredRuns } from './measured-runs.js';
import { sandboxJob, type SandboxPayload } from './sandbox.job.js';

type Lease = LayerLease | (Pick<LayerLease, 'release'> & { readonly error: unknown });

@Injectable()
@Handles(sandboxJob)
export class SandboxProcessor implements JobHandler<SandboxPayload, ExecutionResult | null> {
  constructor(
    private readonly runs: MeasuredRuns,
    private readonly recorder: ExecutionRecorder,
    private readonly signals: OutputSignals,
    private readonly packages: PackageInstaller,
    private readonly clock: Clock,
  ) {}

  /** Returns null for a recorded execution, because its result is in its row. */
  async handle(job: SandboxPayload, context: JobContext): Promise<ExecutionResult | null> {
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

  private async handleWith(
    lease: Lease | undefined,
    job: SandboxPayload,
    { signal, waitedMs }: JobContext,
  ): Promise<ExecutionResult | null> {
    const run = (): Promise<FinishedExecution> => this.run(job, lease, signal);
    if (job.recordedFor !== undefined) {
      const recorded = this.recorder.record(job.recordedFor, job, { signal, waitedMs }, run);
      if (job.keepsOutputMs === undefined) await recorded;
      else await recorded.finally(() => void this.signals.notifyEnd(job.executionId));
      return null;
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
