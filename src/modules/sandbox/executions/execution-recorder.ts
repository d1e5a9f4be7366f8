import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { JobAbandoned } from '../../../platform/queues/job-cancellations.js';
import { type JobContext, JobPostponed } from '../../../platform/background/define-job.js';
import { Clock } from '../../../platform/time/clock.js';
import type { SandboxPayload } from '../jobs/sandbox.job.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import type { SandboxOutcome } from '../domain/sandbox-runtime.js';
import { DatabasePatience } from './database-patience.js';
import { ExecutionEnds } from './execution-ends.js';
import { OrgPlaces } from './org-places.js';

/** From the time limit of a run until its worker has written how it ended. */
const WRITE_WITHIN_MS = 5_000;
/** While the database is away each worker comes to so many jobs a second and place, and puts them back. */
const BEFORE_POSTPONING_MS = 200;
const POSTPONED_FOR_MS = 500;

type Run = () => Promise<SandboxOutcome>;

/** In the worker: writes what becomes of the executions of organizations, whether or not anybody waits for them. */
@Injectable()
export class ExecutionRecorder {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly places: OrgPlaces,
    private readonly patience: DatabasePatience,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs it, unless it was cancelled or given up before its turn came. A result that comes after a cancellation is
   * thrown away: what a caller was once told stays true.
   *
   * @throws {JobPostponed} when its beginning could not be written, so that it did not run.
   * @throws what `run` throws.
   */
  async record(orgId: string, job: SandboxPayload, context: JobContext, run: Run): Promise<void> {
    const { executionId: id } = job;
    if (!(await this.begin(job, context.waitedMs))) {
      // Its first worker may be cut off from Redis and running it still; if it is dead, the execution will be overdue.
      if ((await this.executions.statusOf(id)) === 'running')
        throw new Error('The execution had begun on another worker.');
      await this.ends.giveUp(id);
      await this.places.free(orgId, id);
      return;
    }
    try {
      const outcome = await run();
      await this.patience.during(() => this.ends.finish(id, outcome));
    } catch (error) {
      const wasAbandoned = context.signal.reason instanceof JobAbandoned;
      await this.patience.during(() => (wasAbandoned ? this.ends.cancel(id) : this.ends.giveUp(id)));
      throw error;
    } finally {
      await this.places.free(orgId, id);
    }
  }

  private async begin(job: SandboxPayload, queueMs: number): Promise<boolean> {
    const startedAt = this.clock.now();
    const givesUpAt = new Date(startedAt.getTime() + job.limits.timeoutMs + WRITE_WITHIN_MS);
    const { executionId, triedAtMs = [] } = job;
    try {
      return await this.executions.begin(executionId, { startedAt, queueMs, givesUpAt, triedAtMs });
    } catch (error) {
      if (startedAt.getTime() >= job.startBeforeMs) throw error;
      await sleep(BEFORE_POSTPONING_MS);
      throw new JobPostponed(POSTPONED_FOR_MS, { triedAtMs: [...triedAtMs, startedAt.getTime()] }, error);
    }
  }
}
