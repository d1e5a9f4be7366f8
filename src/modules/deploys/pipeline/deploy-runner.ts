import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { BuildFailed } from '../../builds/build-failed.js';
import type { Built } from '../../builds/built.js';
import { ArtifactRefused, ServerDidNotStart } from '../../hosting/hosting.errors.js';
import { DeployAdmissionService } from '../admission/deploy-admission.service.js';
import { DeployFailed } from '../domain/deploy-failure.js';
import type { DeployOutput, LogPhase } from '../domain/deploy-facts.js';
import { DeployTransitions } from '../domain/deploy-transitions.js';
import { DeployMetrics } from '../metrics/deploys.metrics.js';
import type { DeployPayload } from '../jobs/deploy.job.js';
import { DeployLogs } from '../logs/deploy-log.js';
import { BeginStep } from './begin.step.js';
import { CheckServerStep } from './check-server.step.js';
import { AttemptOver, type DeployRun, WorkerStops } from './deploy-run.js';
import { FetchStep } from './fetch.step.js';
import { GoLiveStep } from './go-live.step.js';
import { IngestStep } from './ingest.step.js';
import { Leases } from './leases.js';
import { PhaseClock } from './phase-clock.js';
import { ReuseStep } from './reuse.step.js';

const LAST_LINES = 50;

/** The steps of the pipeline, in their order in {@link DeployRunner}. */
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

/** Carries out one attempt of a deploy, from the queue to its end. */
@Injectable()
export class DeployRunner {
  constructor(
    private readonly begin: BeginStep,
    private readonly pipeline: Pipeline,
    private readonly leases: Leases,
    private readonly logs: DeployLogs,
    private readonly transitions: DeployTransitions,
    private readonly admission: DeployAdmissionService,
    private readonly metrics: DeployMetrics,
    private readonly log: Log,
  ) {}

  /**
   * Never rejects for what becomes of the deploy, which its row tells. Called again for an attempt that is over, it
   * does nothing.
   */
  async run(job: DeployPayload, cancelled: AbortSignal): Promise<void> {
    const begun = await this.begin.take(job, this.leases.workerId);
    if (begun !== null) {
      const log = await this.logs.open(begun.deploy, begun.variables.secretValues);
      const phases = new PhaseClock<LogPhase>('resolve', (phase, ms) => {
        this.metrics.phase(phase, begun.deploy.type, ms / 1000);
      });
      const left: (() => Promise<void>)[] = [];
      await this.leases.during(begun.deploy, cancelled, async (signal) => {
        const run: DeployRun = { ...begun, log, phases, signal };
        await this.carryOut(run, left).catch((error: unknown) => this.end(run, error));
      });
      // The lease ends with the deploy, and would end with it whatever still keeps the caches.
      for (const close of left.reverse()) await this.tidyUp(close);
    }
    // Its place is free for the next.
    await this.admission.runSoon();
  }

  /** `left`: what is to be done when the lease is over, the last first. */
  private async carryOut(run: DeployRun, left: (() => Promise<void>)[]): Promise<void> {
    const source = await this.pipeline.fetch.run(run);
    left.push(() => source.close());
    this.goOn(await this.transitions.building(run.deploy), run.signal);
    if (await this.takeOver(run)) return;
    const built = await source.build();
    let isLive = false;
    left.push(() => built.close({ keepCaches: isLive }));
    this.goOn(await this.transitions.deploying(run.deploy), run.signal);
    run.phases.begin('ingest');
    await this.show(run, built);
    isLive = true;
  }

  /** False where there is something to build. */
  private async takeOver(run: DeployRun): Promise<boolean> {
    const reused = await this.pipeline.reuse.find(run);
    if (reused === undefined || !(await this.pipeline.reuse.take(run, reused))) return false;
    this.goOn(await this.transitions.deploying(run.deploy), run.signal);
    await this.pipeline.goLive.run(run, reused.output, reused.of.id);
    return true;
  }

  private async show(run: DeployRun, built: Built): Promise<void> {
    const output: DeployOutput = await this.pipeline.ingest.run(run, built);
    await this.pipeline.checkServer.run(run, output);
    await this.pipeline.goLive.run(run, output, null);
  }

  /** What a build left behind is no reason for a deploy that is live to fail. */
  private async tidyUp(close: () => Promise<void>): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.log.error({ error }, 'What a build left behind could not be removed.');
    }
  }

  private goOn(itHappened: boolean, signal: AbortSignal): void {
    if (!itHappened) throw new AttemptOver();
    signal.throwIfAborted();
  }

  private async end(run: DeployRun, thrown: unknown): Promise<void> {
    const { deploy, log, phases, signal } = run;
    const reason: unknown = signal.aborted ? signal.reason : thrown;
    if (reason instanceof WorkerStops) {
      log.note(phases.now, 'The worker stops; the deploy begins anew on another one.');
      await log.flushed();
      await this.transitions.handedBack(deploy, 'worker_stopped');
      return;
    }
    if (signal.aborted || thrown instanceof AttemptOver) return;
    const failure = failureOf(thrown);
    if (failure.code === 'internal_error')
      this.log.error(
        { error: thrown, deployId: deploy.id, orgId: deploy.orgId },
        'A deploy failed by a fault of ours.',
      );
    if (thrown instanceof ServerDidNotStart)
      for (const line of thrown.lastLines.slice(-LAST_LINES)) log.line(phases.now, 'stderr', line);
    log.note(phases.now, failure.message);
    await log.flushed();
    await this.transitions.failed(deploy, failure, phases.read());
  }
}

function failureOf(thrown: unknown): Pick<DeployFailed, 'code' | 'message'> {
  if (thrown instanceof DeployFailed || thrown instanceof BuildFailed || thrown instanceof ArtifactRefused)
    return thrown;
  if (thrown instanceof ServerDidNotStart) return { code: 'server_did_not_start', message: thrown.message };
  return {
    code: 'internal_error',
    message: 'Something went wrong on our side. Deploy again; if it stays, report it with the id of the deploy.',
  };
}
