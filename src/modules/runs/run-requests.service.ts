import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { RunBudget } from '../agents/agent-definition.js';
import { agentSubject, runSubject } from '../credits/budget-subject.js';
import { WorkBudgetsService } from '../credits/work-budgets.service.js';
import type { CreatedRun, NewRun } from './new-run.js';
import type { Run } from './domain/run.js';
import { RUNS_READY, RunClaimsStore } from './persistence/run-claims.store.js';
import { type QueuedRun, RunsStore } from './persistence/runs.store.js';
import { RUN_ID } from './runs.ids.js';

/** Creates runs. Workers take them as soon as the transaction is committed. */
@Injectable()
export class RunRequestsService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunsStore,
    private readonly claims: RunClaimsStore,
    private readonly budgets: WorkBudgetsService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Creates one run, as {@link createAll}. */
  async create(run: NewRun): Promise<CreatedRun> {
    return (await this.createAll([run]))[0]!;
  }

  /**
   * Creates queued runs, in the caller's transaction if there is one, with a few statements for any number of them. A
   * run draws from its own budget, from those of all runs above it, and from the monthly budget of its agent.
   */
  async createAll(runs: readonly NewRun[]): Promise<readonly CreatedRun[]> {
    if (runs.length === 0) return [];
    return this.database.transaction(async () => {
      const parentIds = [...new Set(runs.flatMap(({ parentRunId = null }) => parentRunId ?? []))];
      const parents = new Map((await this.runs.findAll(parentIds)).map((parent) => [parent.id, parent]));
      const createdAt = this.clock.now();
      const queued = runs.map((run) =>
        queuedRunOf(run, { id: this.ids.next(RUN_ID), createdAt, parent: parents.get(run.parentRunId ?? '') }),
      );
      await this.budgets.addAll(
        queued.map(({ id, orgId, budget }) => ({
          orgId,
          subject: runSubject(id),
          window: 'total',
          limitNano: budget.costNano,
        })),
      );
      await this.runs.addAll(queued);
      await this.claims.notify(RUNS_READY);
      return queued.map(({ id }) => ({ id, state: 'queued' }));
    });
  }
}

function queuedRunOf(
  run: NewRun,
  { id, createdAt, parent }: { readonly id: string; readonly createdAt: Date; readonly parent: Run | undefined },
): QueuedRun {
  const { orgId, version, starter } = run;
  const subjects = [
    runSubject(id),
    ...(parent?.budgetSubjects ?? []),
    ...(run.budgetSubjects ?? []),
    agentSubject(version.agentId),
  ];
  return {
    id,
    orgId,
    agentId: version.agentId,
    agentVersion: version.number,
    rootRunId: parent?.rootRunId ?? id,
    parentRunId: parent?.id ?? null,
    depth: parent === undefined ? 0 : parent.depth + 1,
    swarmId: run.swarmId ?? parent?.swarmId ?? null,
    scheduleId: run.scheduleId ?? null,
    continues: run.continues ?? null,
    trigger: run.trigger,
    userId: starter.userId,
    keyId: starter.keyId,
    input: run.input,
    budget: smallestOf(version.budget, run.budget ?? {}),
    budgetSubjects: [...new Set(subjects)],
    createdAt,
  };
}

/** A run can lower the limits of its version, and not raise them. */
function smallestOf(version: RunBudget, own: Partial<RunBudget>): RunBudget {
  const { costNano = version.costNano } = own;
  return {
    costNano: costNano < version.costNano ? costNano : version.costNano,
    steps: Math.min(version.steps, own.steps ?? version.steps),
    activeMs: Math.min(version.activeMs, own.activeMs ?? version.activeMs),
    toolCalls: Math.min(version.toolCalls, own.toolCalls ?? version.toolCalls),
  };
}
