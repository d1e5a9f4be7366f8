import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { BudgetNotFound, TooManyBudgets } from '../credits.errors.js';
import { BUDGET_ID } from '../credits.ids.js';
import type { BudgetWindow } from '../domain/budget.js';
import { BudgetsStore, type SpentBudget } from '../persistence/budgets.store.js';
import { PursesService } from '../purse/purses.service.js';
import { BudgetSubjects } from './budget-subjects.js';

const MAX_BUDGETS = 500;

export interface SetBudgetInput {
  readonly window: BudgetWindow;
  readonly limitNano: bigint;
}

/** Limits what the work of a subject may cost, within the limits of the organization. */
@Injectable()
export class BudgetsService {
  constructor(
    private readonly database: Database,
    private readonly purses: PursesService,
    private readonly budgets: BudgetsStore,
    private readonly subjects: BudgetSubjects,
    private readonly orgs: OrgDirectory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<SpentBudget>> {
    return this.budgets.list(org.id, page, this.clock.now());
  }

  /** @throws {BudgetNotFound} `budget_not_found` */
  async get({ org }: Call, subject: string): Promise<SpentBudget> {
    const budget = await this.budgets.find(org.id, subject, this.clock.now());
    if (budget === undefined) throw new BudgetNotFound();
    return budget;
  }

  /**
   * Sets the budget of a subject from now on. What is held or spent stays, also if it exceeds a lower limit. Another
   * window begins with nothing spent.
   *
   * @throws {BudgetSubjectInvalid} `invalid_request`
   * @throws {ApiKeyNotFound} `api_key_not_found`
   * @throws {TooManyBudgets} `invalid_request`
   */
  async set(call: Call, subject: string, { window, limitNano }: SetBudgetInput): Promise<SpentBudget> {
    await this.subjects.require(call, subject);
    await this.change(call, async (now) => {
      const orgId = call.org.id;
      const before = await this.budgets.find(orgId, subject, now);
      if (before?.window === window) {
        await this.budgets.setLimit(before.id, limitNano, now);
      } else {
        if (before !== undefined) await this.budgets.delete(before.id);
        else if ((await this.budgets.count(orgId)) >= MAX_BUDGETS) throw new TooManyBudgets(MAX_BUDGETS);
        const id = this.ids.next(BUDGET_ID);
        await this.budgets.insert({ id, orgId, subject, window, limitNano, createdAt: now, updatedAt: now });
      }
      await this.record(call, 'budget.set', {
        subject,
        window,
        limit: formatUsd(limitNano),
        before: before === undefined ? null : formatUsd(before.limitNano),
      });
    });
    return this.get(call, subject);
  }

  /** @throws {BudgetNotFound} `budget_not_found` */
  async delete(call: Call, subject: string): Promise<void> {
    await this.change(call, async () => {
      const { id } = await this.get(call, subject);
      await this.budgets.delete(id);
      await this.record(call, 'budget.deleted', { subject });
    });
  }

  /** Locks the account, so that no work begins by what was true before. */
  private change(call: Call, work: (now: Date) => Promise<void>): Promise<void> {
    return this.database.transaction(async () => {
      await this.orgs.lockAndGetPlan(call, call.org.id);
      await this.purses.change({ orgIds: [call.org.id] }, () => undefined);
      await work(this.clock.now());
    });
  }

  private record(call: Call, action: `${string}.${string}`, details: Record<string, string | null>): Promise<void> {
    const { id } = call.org;
    return this.orgs.record({ orgId: id, action, target: { type: 'organization', id }, details }, call);
  }
}
