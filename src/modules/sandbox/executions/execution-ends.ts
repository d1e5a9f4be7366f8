import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { ArtifactsStore } from '../persistence/artifacts.store.js';
import { ExecutionsStore, type Finish, type OverdueExecution } from '../persistence/executions.store.js';
import type { SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { OrgEvents } from '../../events/org-events.js';
import type { PaidWork } from '../../credits/paid-work.js';
import { ExecutionBilling, type PaidExecution } from './execution-billing.js';

/** What a worker knows of a run at its end. */
export type FinishedExecution = Pick<Finish, 'outcome' | 'artifacts'>;

/** Rolls back what was written of the end of an execution that had ended before. */
class NotRunning extends Error {}

/** Ends executions. Each end is written and paid for once, in one transaction. */
@Injectable()
export class ExecutionEnds {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionsStore,
    private readonly artifacts: ArtifactsStore,
    private readonly billing: ExecutionBilling,
    private readonly events: OrgEvents,
    private readonly clock: Clock,
  ) {}

  /** Returns what was held for an execution that runs, for {@link finish}. It does not change any more. */
  worksOf(id: string): Promise<PaidWork[]> {
    return this.billing.worksOf(id);
  }

  /**
   * Returns what was written. Returns null, and discards the result, when the execution was cancelled or given up while
   * it ran.
   */
  async finish(execution: PaidExecution, ended: FinishedExecution, works: readonly PaidWork[]): Promise<Finish | null> {
    try {
      return await this.database.transaction(() => this.finishRunning(execution, ended, works));
    } catch (error) {
      if (error instanceof NotRunning) return null;
      throw error;
    }
  }

  private async finishRunning(
    execution: PaidExecution,
    { outcome, artifacts }: FinishedExecution,
    works: readonly PaidWork[],
  ): Promise<Finish> {
    const { id } = execution;
    const kept = artifacts?.kept ?? [];
    const bytes = kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    // All that is locked is asked for in one round trip, the execution first. If it does not run, nothing counts.
    const [live, paid] = await Promise.allSettled([
      this.executions.lockLive(id),
      this.billing.pay(execution, works, outcome.durationMs, bytes),
    ]);
    if (live.status === 'rejected') throw live.reason;
    if (live.value?.status !== 'running') throw new NotRunning();
    if (paid.status === 'rejected') throw paid.reason;
    const costNano = paid.value;
    await this.artifacts.keep(kept);
    const finish = { outcome, artifacts, costNano, finishedAt: this.clock.now() };
    this.executions.finishLater(id, finish);
    await this.announce({ ...execution, status: outcome.status });
    return finish;
  }

  /** The organization pays for the time that the execution has run. Returns false when it had ended before. */
  cancel(id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const [live, works] = await Promise.all([this.executions.lockLive(id), this.billing.worksOf(id)]);
      if (live === null) return false;
      const finishedAt = this.clock.now();
      if (live.startedAt === null) await this.billing.release([live]);
      const costNano =
        live.startedAt === null
          ? null
          : await this.billing.pay(live, works, finishedAt.getTime() - live.startedAt.getTime());
      await this.executions.end(id, { status: 'cancelled', costNano, finishedAt });
      await this.announce({ ...live, status: 'cancelled' });
      return true;
    });
  }

  /**
   * The platform gives the execution up, so it costs nothing. It becomes `cancelled` if it never started, and `lost`
   * otherwise. Returns false when it had ended before.
   */
  giveUp(id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const live = await this.executions.lockLive(id);
      if (live === null) return false;
      const status = live.startedAt === null ? 'cancelled' : 'lost';
      await this.executions.end(id, { status, costNano: null, finishedAt: this.clock.now() });
      await this.billing.release([live]);
      await this.announce({ ...live, status });
      return true;
    });
  }

  /** Gives up the executions whose worker can no longer be expected to report their end. */
  giveUpOverdue(): Promise<OverdueExecution[]> {
    return this.database.transaction(async () => {
      const overdue = await this.executions.giveUpOverdue(this.clock.now());
      await this.billing.release(overdue);
      await this.announce(...overdue);
      return overdue;
    });
  }

  private announce(...ended: readonly Pick<SandboxExecution, 'id' | 'orgId' | 'language' | 'status'>[]): Promise<void> {
    return this.events.publish(
      ...ended.map(({ id, orgId, language, status }) => {
        const data = { execution_id: id, language, status };
        return { orgId, type: 'execution.finished', data } as const;
      }),
    );
  }
}
