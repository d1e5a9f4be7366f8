import { Injectable } from '@nestjs/common';
import type { Built } from '../../builds/built.js';
import type { DeployOutput, LogPhase } from '../domain/deploy-facts.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import type { DeployPayload } from '../jobs/deploy.job.js';
import { DeployLogs } from '../logs/deploy-log.js';
import { DeployMetrics } from '../metrics/deploys.metrics.js';
import { AttemptEnding } from './attempt-ending.js';
import { BeginStep } from './begin.step.js';
import { CheckServerStep } from './check-server.step.js';
import { AttemptOver, type DeployRun, WorkerStops } from './deploy-run.js';
import { FetchStep } from './fetch.step.js';
import { GoLiveStep } from './go-live.step.js';
import { IngestStep } from './ingest.step.js';
import { Leases } from './leases.js';
import { PhaseClock } from './phase-clock.js';
import { ReuseStep } from './reuse.step.js';

/** The steps of the pipeline, in the order in which {@link DeployRunner} runs them. */
@Injectable()
export class Pipeline {
  constructor(
    readonly fetch: FetchStep,
    readonly reuse: ReuseStep,
    readonly ingest: IngestStep,
    readonly checkServer: CheckServerStep,
    readonly goLive: GoLiveStep,
  ) {}
}

/** Runs one attempt of a deploy, from the queue to its end. */
@Injectable()
export class DeployRunner {
  constructor(
    private readonly begin: BeginStep,
    private readonly pipeline: Pipeline,
    private readonly leases: Leases,
    private readonly logs: DeployLogs,
    private readonly transitions: DeployTransitions,
    private readonly metrics: DeployMetrics,
    private readonly ending: AttemptEnding,
  ) {}

  /**
   * Never rejects because the deploy fails: its row has the outcome. A second call for an attempt that is over does
   * nothing.
   */
  async run(job: DeployPayload, cancelled: AbortSignal): Promise<void> {
    const begun = await this.begin.take(job, this.leases.workerId);
    if (begun === null) return;
    const log = await this.logs.open(begun.deploy, begun.variables.secretValues);
    const phases = new PhaseClock<LogPhase>('resolve', (phase, ms) => {
      this.metrics.observePhase(phase, begun.deploy.type, ms / 1000);
    });
    const cleanups: (() => Promise<void>)[] = [];
    let leaving: Promise<void> | undefined;
    const leave = (): Promise<void> => (leaving ??= this.ending.handBack({ ...begun, log, phases }));
    await this.leases.during(begun.deploy, cancelled, {
      work: async (signal) => {
        const run: DeployRun = { ...begun, log, phases, signal };
        await this.runSteps(run, cleanups).catch((error: unknown) =>
          signal.reason instanceof WorkerStops ? leave() : this.ending.end(run, error),
        );
      },
      leave,
      // Keeping the caches may take long, so it happens after the lease, which the end of the deploy releases anyway.
      cleanUp: async () => {
        for (const close of cleanups.reverse()) await this.ending.cleanUp(close);
      },
    });
  }

  /** `cleanups` collects what to close when the lease is over, the last entry first. */
  private async runSteps(run: DeployRun, cleanups: (() => Promise<void>)[]): Promise<void> {
    const source = await this.pipeline.fetch.run(run);
    cleanups.push(() => source.close());
    this.requireActive(await this.transitions.building(run.deploy), run.signal);
    if (await this.tryReuse(run)) return;
    const built = await source.build();
    let isLive = false;
    cleanups.push(() => built.close({ keepCaches: isLive }));
    this.requireActive(await this.transitions.deploying(run.deploy), run.signal);
    run.phases.begin('ingest');
    await this.publish(run, built);
    isLive = true;
  }

  /** False when there is something to build. */
  private async tryReuse(run: DeployRun): Promise<boolean> {
    const reused = await this.pipeline.reuse.find(run);
    if (reused === undefined || !(await this.pipeline.reuse.take(run, reused))) return false;
    this.requireActive(await this.transitions.deploying(run.deploy), run.signal);
    await this.pipeline.goLive.run(run, reused.output, reused.of.id);
    return true;
  }

  private async publish(run: DeployRun, built: Built): Promise<void> {
    const output: DeployOutput = await this.pipeline.ingest.run(run, built);
    await this.pipeline.checkServer.run(run, output);
    await this.pipeline.goLive.run(run, output, null);
  }

  private requireActive(didTransition: boolean, signal: AbortSignal): void {
    if (!didTransition) throw new AttemptOver();
    signal.throwIfAborted();
  }
}
