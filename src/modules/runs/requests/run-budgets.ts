import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { RunBudget } from '../../agents/agent-definition.js';
import type { Call } from '../../auth/caller.js';
import { runSubject } from '../../credits/budget-subject.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { RunsStore } from '../persistence/runs.store.js';
import { RunWakesService } from '../run-wakes.service.js';
import { RunsService, type ShownRun } from './runs.service.js';

/** Raises the limits of runs. */
@Injectable()
export class RunBudgets {
  constructor(
    private readonly database: Database,
    private readonly runs: RunsService,
    private readonly store: RunsStore,
    private readonly writes: RunWritesStore,
    private readonly budgets: WorkBudgetsService,
    private readonly wakes: RunWakesService,
  ) {}

  /**
   * Sets limits of a run that is not over, and lets it go on if it waits for one of them. What it has used counts.
   *
   * @throws {RunNotFound} `run_not_found`
   * @throws {RunAlreadyOver} `run_already_over`
   */
  async resume(call: Call, runId: string, budget: Partial<RunBudget>): Promise<ShownRun> {
    const id = await this.database.transaction(async () => {
      const run = await this.runs.lockActive(call, runId, 'agents:run');
      const { costNano } = budget;
      if (costNano !== undefined) await this.budgets.set(run.orgId, runSubject(run.id), 'total', costNano);
      await this.store.setBudget(run.id, { ...run.budget, ...budget });
      const { activeMs, steps, toolCalls } = budget;
      const data = {
        ...(costNano === undefined ? {} : { cost: formatUsd(costNano) }),
        ...(steps === undefined ? {} : { steps }),
        ...(activeMs === undefined ? {} : { active_seconds: activeMs / 1000 }),
        ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
      };
      if (Object.keys(data).length > 0) await this.writes.addEvents(run.id, [{ type: 'budget.raised', data }]);
      if (run.waitingFor === 'budget' || run.waitingFor === 'timer') await this.wakes.wake(run.orgId, [run.id]);
      return run.id;
    });
    return this.runs.get(call, id);
  }
}
