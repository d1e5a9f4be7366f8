import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { ExecutionsStore, type OverdueExecution } from '../persistence/executions.store.js';
import type { SandboxOutcome } from '../domain/sandbox-runtime.js';
import { ExecutionMoney } from './execution-money.js';

/** Every end that an execution can have: it is written and paid in one transaction, once. */
@Injectable()
export class ExecutionEnds {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionsStore,
    private readonly money: ExecutionMoney,
    private readonly clock: Clock,
  ) {}

  /** False when it was cancelled, or given up, while it ran: that was its end then, and this result is thrown away. */
  finish(id: string, outcome: SandboxOutcome): Promise<boolean> {
    return this.database.transaction(async () => {
      const live = await this.executions.lockLive(id);
      if (live?.status !== 'running') return false;
      const costNano = await this.money.pay(live, outcome.durationMs);
      await this.executions.finish(id, { outcome, costNano, finishedAt: this.clock.now() });
      return true;
    });
  }

  /** What it had run by then is paid for. False when it was over before. */
  cancel(id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const live = await this.executions.lockLive(id);
      if (live === null) return false;
      const finishedAt = this.clock.now();
      if (live.startedAt === null) await this.money.giveBack([live]);
      const costNano =
        live.startedAt === null ? null : await this.money.pay(live, finishedAt.getTime() - live.startedAt.getTime());
      await this.executions.end(id, { status: 'cancelled', costNano, finishedAt });
      return true;
    });
  }

  /** By the platform: nobody pays. One that had not begun is cancelled: it never ran. False when it was over before. */
  giveUp(id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const live = await this.executions.lockLive(id);
      if (live === null) return false;
      const status = live.startedAt === null ? 'cancelled' : 'lost';
      await this.executions.end(id, { status, costNano: null, finishedAt: this.clock.now() });
      await this.money.giveBack([live]);
      return true;
    });
  }

  /** Those whose worker can no longer be expected to tell how they ended. */
  giveUpOverdue(): Promise<OverdueExecution[]> {
    return this.database.transaction(async () => {
      const overdue = await this.executions.giveUpOverdue(this.clock.now());
      await this.money.giveBack(overdue);
      return overdue;
    });
  }
}
