import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { JobAbandoned } from '../../../platform/queues/job-cancellations.js';
import { type JobContext, JobPostponed } from '../../../platform/background/define-job.js';
import { Clock } from '../../../platform/time/clock.js';
import type { SandboxPayload } from '../jobs/sandbox.job.js';
import { type Beginning, ExecutionsStore, type Finish } from '../persistence/executions.store.js';
import { DatabaseRetry } from '../../../platform/database/database-retry.js';
import { type FinishedExecution, ExecutionEnds } from './execution-ends.js';
import { OrgSlots } from './org-slots.js';

/** A worker has this long after the time limit of a run to write how the run ended. */
const WRITE_WITHIN_MS = 5_000;
/** This pause limits how many jobs per second a worker takes and returns while the database is unavailable. */
const BEFORE_POSTPONING_MS = 200;
const POSTPONED_FOR_MS = 500;

type Run = () => Promise<FinishedExecution>;
/** What was written of a run. */
export type RecordedEnd = Finish & { readonly beginning: Beginning };
/** An execution, as it is known to the worker. */
export type RecordedRun = Pick<
  SandboxPayload,
  'executionId' | 'language' | 'limits' | 'startBeforeMs' | 'triedAtMs'
> & {
  /** What a run may take beside its time limit, before it is given up. */
  readonly overtimeMs?: number;
};

/**
 * Runs in the worker and writes the start and the end of executions of organizations, whether or not a caller waits.
 */
@Injectable()
export class ExecutionRecorder {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly slots: OrgSlots,
    private readonly databaseRetry: DatabaseRetry,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the execution, unless it was cancelled or given up while it was queued. A result that arrives after a
   * cancellation is discarded, so that an answer which a caller has received stays true.
   *
   * @returns what was written of the result: null when it was discarded, or there is none.
   * @throws {JobPostponed} when the start could not be written; the code did not run.
   * @throws what `run` throws.
   */
  async record(orgId: string, job: RecordedRun, context: JobContext, run: Run): Promise<RecordedEnd | null> {
    const { executionId: id } = job;
    const beginning = this.beginningOf(job, context.waitedMs);
    if (!(await this.begin(job, beginning))) {
      // The first worker may have lost Redis and still be running the code. If it is dead, the execution becomes
      // overdue.
      if ((await this.executions.statusOf(id)) === 'running')
        throw new Error('The execution has already started on another worker.');
      await this.ends.giveUp(id);
      await this.slots.free(orgId, id);
      return null;
    }
    const execution = { id, orgId, limits: job.limits, language: job.language };
    // Read while the code runs. Whatever keeps it from being read is tried again at the end.
    const works = this.ends.worksOf(id).catch(() => undefined);
    try {
      const ended = await run();
      const finish = await this.databaseRetry.run(async () =>
        this.ends.finish(execution, ended, (await works) ?? (await this.ends.worksOf(id))),
      );
      return finish === null ? null : { ...finish, beginning };
    } catch (error) {
      const wasAbandoned = context.signal.reason instanceof JobAbandoned;
      await this.databaseRetry.run(() => (wasAbandoned ? this.ends.cancel(id) : this.ends.giveUp(id)));
      throw error;
    } finally {
      await this.slots.free(orgId, id);
    }
  }

  /** Gives up an execution that did not start, or whose end was not written. Nothing happens to one that has ended. */
  async giveUpUnended(orgId: string, id: string): Promise<void> {
    await this.databaseRetry.run(() => this.ends.giveUp(id));
    await this.slots.free(orgId, id);
  }

  private beginningOf({ limits, triedAtMs = [], overtimeMs = 0 }: RecordedRun, queueMs: number): Beginning {
    const startedAt = this.clock.now();
    const givesUpAt = new Date(startedAt.getTime() + limits.timeoutMs + overtimeMs + WRITE_WITHIN_MS);
    return { startedAt, queueMs, givesUpAt, triedAtMs };
  }

  private async begin(job: RecordedRun, beginning: Beginning): Promise<boolean> {
    const { startedAt, triedAtMs } = beginning;
    try {
      return await this.executions.begin(job.executionId, beginning);
    } catch (error) {
      if (startedAt.getTime() >= job.startBeforeMs) throw error;
      await sleep(BEFORE_POSTPONING_MS);
      throw new JobPostponed(POSTPONED_FOR_MS, { triedAtMs: [...triedAtMs, startedAt.getTime()] }, error);
    }
  }
}
