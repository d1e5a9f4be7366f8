import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { AgentsService } from '../../agents/agents.service.js';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { runSubject } from '../../credits/budget-subject.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import type { Run } from '../domain/run.js';
import { isRunOver } from '../domain/run-state.js';
import { type RunFilter, RunsStore } from '../persistence/runs.store.js';
import { RunAlreadyOver, RunNotFound } from '../runs.errors.js';
import { RunEndsService } from '../run-ends.service.js';

/** A run with what it has cost so far, the runs below it included. */
export interface ShownRun {
  readonly run: Run;
  readonly costNano: bigint;
  /** The most that it may cost now, which people can raise. */
  readonly limitNano: bigint;
  /** Scopes of the version that the caller who starts the run lacks. Tools that need them fail. */
  readonly missingScopes?: readonly Scope[];
}

/** Which runs a caller asks for; `agent` is an id or a slug. */
export type RunsFilterInput = Omit<RunFilter, 'agentId'> & { readonly agent?: string | undefined };

/** Finds runs for callers, and cancels them. */
@Injectable()
export class RunsService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunsStore,
    private readonly agents: AgentsService,
    private readonly ends: RunEndsService,
    private readonly budgets: WorkBudgetsService,
  ) {}

  /**
   * @throws {RunNotFound} `run_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get(call: Call, id: string): Promise<ShownRun> {
    return (await this.shown([await this.find(call, id, 'agents:read')]))[0]!;
  }

  /** Returns the run without its cost. @throws as {@link get}. */
  async find({ principal }: Call, id: string, scope: Scope): Promise<Run> {
    return allowed({ principal }, await this.runs.find(principal.lookupOrgIds, id), scope);
  }

  /** Returns a run that is not over, locked until the transaction ends. @throws as {@link get}. */
  async lockActive({ principal }: Pick<Call, 'principal'>, id: string, scope: Scope): Promise<Run> {
    const run = allowed({ principal }, await this.runs.findAndLock(principal.lookupOrgIds, id), scope);
    if (isRunOver(run.state)) throw new RunAlreadyOver(run.state);
    return run;
  }

  /** Newest first. @throws {AgentNotFound} `agent_not_found` */
  async list(call: Call, { agent, ...filter }: RunsFilterInput, page: PageRequest): Promise<Page<ShownRun>> {
    const found = agent === undefined ? undefined : await this.agents.get(call, agent, 'agents:read');
    const { items, next } = await this.runs.list(found?.orgId ?? call.org.id, { ...filter, agentId: found?.id }, page);
    return { items: await this.shown(items), next };
  }

  /** @throws {RunAlreadyOver} `run_already_over`, and as {@link get}. */
  async cancel(call: Call, id: string): Promise<ShownRun> {
    await this.database.transaction(async () => {
      const run = await this.lockActive(call, id, 'agents:run');
      await this.ends.cancel(run.orgId, [run.id], `Cancelled by ${call.principal.user.username}.`);
    });
    return this.get(call, id);
  }

  private async shown(runs: readonly Run[]): Promise<ShownRun[]> {
    const spending = new Map<string, { postedNano: bigint; limitNano: bigint }>();
    for (const orgId of new Set(runs.map((run) => run.orgId))) {
      const subjects = runs.filter((run) => run.orgId === orgId).map(({ id }) => runSubject(id));
      for (const [subject, figures] of await this.budgets.spendingOf(orgId, subjects)) spending.set(subject, figures);
    }
    return runs.map((run) => {
      const { postedNano = 0n, limitNano = run.budget.costNano } = spending.get(runSubject(run.id)) ?? {};
      return { run, costNano: postedNano, limitNano };
    });
  }
}

function allowed({ principal }: Pick<Call, 'principal'>, run: Run | undefined, scope: Scope): Run {
  if (run === undefined) throw new RunNotFound();
  principal.require(scope, run.orgId);
  return run;
}
