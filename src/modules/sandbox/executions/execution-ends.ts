import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { ArtifactsStore } from '../persistence/artifacts.store.js';
import { ExecutionsStore, type Finish, type OverdueExecution } from '../persistence/executions.store.js';
import type { SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { OrgEvents } from '../../events/org-events.js';
import { ExecutionBilling } from './execution-billing.js';

/** What a worker knows of a run at its end. */
export type FinishedExecution = Pick<Finish, 'outcome' | 'artifacts'>;

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

  /** Returns false, and discards the result, when the execution was cancelled or given up while it ran. */
  finish(id: string, { outcome, artifacts }: FinishedExecution): Promise<boolean> {
    return this.database.transaction(async () => {
      const live = await this.executions.lockLive(id);
      if (live?.status !== 'running') return false;
      const kept = artifacts?.kept ?? [];
      const bytes = kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const costNano = await this.billing.pay(live, outcome.durationMs, bytes);
      await this.artifacts.keep(kept);
      await this.executions.finish(id, { outcome, artifacts, costNano, finishedAt: this.clock.now() });
      await this.announce({ ...live, status: outcome.status });
      return true;
    });
  }

  /** The organization pays for the time that the execution has run. Returns false when it had ended before. */
  cancel(id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const live = await this.executions.lockLive(id);
      if (live === null) return false;
      const finishedAt = this.clock.now();
      if (live.startedAt === null) await this.billing.release([live]);
      const costNano =
        live.startedAt === null ? null : await this.billing.pay(live, finishedAt.getTime() - live.startedAt.getTime());
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
