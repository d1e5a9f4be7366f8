import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import { BUDGET_ID } from './credits.ids.js';
import type { BudgetWindow } from './domain/budget.js';
import { WorkBudgetsStore, type WorkBudgetSpending } from './persistence/work-budgets.store.js';
import { PursesService } from './purse/purses.service.js';

/** The most that the work of a subject may cost in a window, such as `run:run_…` in total. */
export interface WorkBudget {
  readonly orgId: string;
  readonly subject: string;
  readonly window: BudgetWindow;
  readonly limitNano: bigint;
}

/**
 * Budgets that belong to pieces of work, such as a run of an agent. Work keeps to them as to those that people set, but
 * nobody lists or changes them as budgets.
 */
@Injectable()
export class WorkBudgetsService {
  constructor(
    private readonly database: Database,
    private readonly store: WorkBudgetsStore,
    private readonly purses: PursesService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Adds budgets of subjects that are new, in the caller's transaction if there is one. Others stay as they are. */
  async addAll(budgets: readonly WorkBudget[]): Promise<void> {
    if (budgets.length === 0) return;
    await this.database.transaction(async () => {
      const missing = await this.store.withoutAccount([...new Set(budgets.map(({ orgId }) => orgId))]);
      if (missing.length > 0) await this.purses.change({ orgIds: missing }, () => undefined);
      await this.store.addUnlessThere(
        budgets.map((budget) => ({ id: this.ids.next(BUDGET_ID), ...budget })),
        this.clock.now(),
      );
    });
  }

  /** Sets the budget of a subject, or removes it with null. What is held or spent stays, also beyond a lower limit. */
  async set(orgId: string, subject: string, window: BudgetWindow, limitNano: bigint | null): Promise<void> {
    await this.database.transaction(async () => {
      // The lock on the account, so that no work begins by what was true before.
      await this.purses.change({ orgIds: [orgId] }, () => undefined);
      if (limitNano === null) await this.store.delete(orgId, [subject]);
      else if (!(await this.store.setLimit({ orgId, subject, window, limitNano }, this.clock.now())))
        await this.addAll([{ orgId, subject, window, limitNano }]);
    });
  }

  /** Returns what the subjects have spent and hold in their current windows. Subjects without a budget are left out. */
  spendingOf(orgId: string, subjects: readonly string[]): Promise<ReadonlyMap<string, WorkBudgetSpending>> {
    return this.store.spendingOf(orgId, subjects, this.clock.now());
  }

  /** Removes budgets of work that is deleted. */
  async deleteAll(orgId: string, subjects: readonly string[]): Promise<void> {
    if (subjects.length === 0) return;
    await this.database.transaction(async () => {
      await this.purses.change({ orgIds: [orgId] }, () => undefined);
      await this.store.delete(orgId, subjects);
    });
  }
}
