import { Injectable } from '@nestjs/common';
import type { Built } from '../../builds/built.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import type { DeployPayload } from '../jobs/deploy.job.js';
import { DeployLogs } from '../logs/deploy-log.js';
import { AttemptEnding } from './attempt-ending.js';
import { BeginStep } from './begin.step.js';
import { CheckServerStep } from './check-server.step.js';
import { AttemptOver, type DeployRun, WorkerStops } from './deploy-run.js';
import { FetchStep } from './fetch.step.js';
import { GoLiveStep } from './go-live.step.js';
import { IngestStep } from './ingest.step.js';
import { Leases } from './leases.js';
import { PhaseClocks } from './phase-clocks.js';
import { type Reused, ReuseStep } from './reuse.step.js';

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
    private readonly clocks: PhaseClocks,
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
    const phases = this.clocks.start(begun.deploy);
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
    const [isBuilding, reusable] = await Promise.all([
      this.transitions.building(run.deploy),
      this.pipeline.reuse.find(run),
    ]);
    this.requireActive(isBuilding, run.signal);
    if (reusable !== undefined && (await this.reuse(run, reusable))) return;
    const built = await source.build();
    let isLive = false;
    cleanups.push(() => built.close({ keepCaches: isLive }));
    await this.publish(run, built);
    isLive = true;
  }

  /** False when the files of the earlier deploy were removed meanwhile, so that there is something to build. */
  private async reuse(run: DeployRun, reused: Reused): Promise<boolean> {
    if (!(await this.pipeline.reuse.take(run, reused))) return false;
    this.requireActive(await this.transitions.deploying(run.deploy), run.signal);
    await this.pipeline.goLive.run(run, reused.output, reused.of.id);
    return true;
  }

  private async publish(run: DeployRun, built: Built): Promise<void> {
    run.phases.begin('ingest');
    // The files are stored while the state changes. An attempt that is over waits for the end of that, too, so that
    // nothing of the build is removed under it.
    const [moved, ingested] = await Promise.allSettled([
      this.transitions.deploying(run.deploy),
      this.pipeline.ingest.run(run, built),
    ]);
    this.requireActive(valueOf(moved), run.signal);
    const output = valueOf(ingested);
    await this.pipeline.checkServer.run(run, output);
    await this.pipeline.goLive.run(run, output, null);
  }

  private requireActive(didTransition: boolean, signal: AbortSignal): void {
    if (!didTransition) throw new AttemptOver();
    signal.throwIfAborted();
  }
}

function valueOf<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason as Error;
  return result.value;
}
