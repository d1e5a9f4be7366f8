import { Injectable } from '@nestjs/common';
import { JobAbandoned } from '../../../platform/queues/job-cancellations.js';
import type { JobContext } from '../../../platform/queues/queue-definition.js';
import { Clock } from '../../../platform/time/clock.js';
import type { SandboxJob } from '../jobs/sandbox.queue.js';
import { ExecutionsStore } from '../persistence/executions.store.js';
import type { SandboxOutcome } from '../sandbox-runtime.js';
import { ExecutionEnds } from './execution-ends.service.js';
import { OrgPlaces } from './org-places.js';

/** From the time limit of a run until its worker has written how it ended. */
const WRITE_WITHIN_MS = 5_000;

/** In the worker: writes what becomes of the executions of organizations, whether or not anybody waits for them. */
@Injectable()
export class ExecutionRecorder {
  constructor(
    private readonly executions: ExecutionsStore,
    private readonly ends: ExecutionEnds,
    private readonly places: OrgPlaces,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs it, unless it was cancelled or given up before its turn came. A result that comes after a cancellation is
   * thrown away: what a caller was once told stays true.
   *
   * @throws what `run` throws.
   */
  async record(orgId: string, { executionId: id, limits }: SandboxJob, { signal, waitedMs }: JobContext, run: () => Promise<SandboxOutcome>): Promise<void> {
    const startedAt = this.clock.now();
    try {
      const givesUpAt = new Date(startedAt.getTime() + limits.timeoutMs + WRITE_WITHIN_MS);
      if (!(await this.executions.begin(id, startedAt, { queueMs: waitedMs, givesUpAt }))) return;
      await this.ends.finish(id, await run());
    } catch (error) {
      await (signal.reason instanceof JobAbandoned ? this.ends.cancel(id) : this.ends.lose(id));
      throw error;
    } finally {
      await this.places.free(orgId, id);
    }
  }
}
