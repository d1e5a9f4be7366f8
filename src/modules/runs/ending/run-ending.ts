import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { OrgEvents } from '../../events/org-events.js';
import type { Run, RunFailure } from '../domain/run.js';
import { RunSignals } from '../events/run-signals.js';
import { RunMetrics } from '../metrics/runs.metrics.js';
import type { EndedRun } from '../new-run.js';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunObservers } from '../run-observers.js';
import { RunWakesService } from '../run-wakes.service.js';

/** How a run has ended. */
export interface RunEnd {
  readonly state: EndedRun['state'];
  readonly output?: unknown;
  readonly failure?: RunFailure;
}

/** What follows from the end of a run, in the transaction that ends it. */
@Injectable()
export class RunEnding {
  constructor(
    private readonly database: Database,
    private readonly approvals: ApprovalsStore,
    private readonly observers: RunObservers,
    private readonly wakes: RunWakesService,
    private readonly orgEvents: OrgEvents,
    private readonly signals: RunSignals,
    private readonly metrics: RunMetrics,
  ) {}

  /** Ends its approvals, notifies those above the run, and announces the end. */
  async ended(run: Run, end: RunEnd): Promise<void> {
    await this.approvals.voidAll({ runIds: [run.id] });
    if (run.parentRunId !== null) await this.wakes.wake(run.orgId, [run.parentRunId]);
    await this.observers.ended({
      id: run.id,
      orgId: run.orgId,
      agentId: run.agentId,
      state: end.state,
      failureCode: end.failure?.code ?? null,
      output: end.output ?? null,
      isTainted: run.isTainted,
      parentRunId: run.parentRunId,
      swarmId: run.swarmId,
      scheduleId: run.scheduleId,
    });
    await this.orgEvents.publish({
      orgId: run.orgId,
      type: `run.${end.state}`,
      data: {
        run_id: run.id,
        agent_id: run.agentId,
        state: end.state,
        ...(end.failure === undefined ? {} : { error: end.failure }),
      },
    });
    await this.database.afterCommit(async () => {
      this.metrics.ended(run.trigger, end.state);
      await this.signals.notify(run.id);
    });
  }
}
