import { type Budget, periodOf } from '../domain/budget.js';
import { reachedLevels, type WarningLevel } from './spend-warning.js';

/** What a budget has spent, and what is held of it, in a period. */
export interface BudgetPeriod {
  postedNano: bigint;
  heldNano: bigint;
}

type LimitedBudget = Pick<Budget, 'id' | 'subject' | 'window' | 'limitNano'>;

/** A budget with the periods that the work may touch. A period that is not there is empty. */
export interface BudgetFacts extends LimitedBudget {
  readonly periods: ReadonlyMap<string, BudgetPeriod>;
}

/** A budget that a hold has a part of. */
export interface HeldBudget {
  readonly budget: string;
  readonly period: string;
}

/** The budget leaves less than the work may cost; `availableNano` is what it leaves. */
export interface BudgetRefusal {
  readonly refused: 'budget';
  readonly budget: LimitedBudget;
  readonly availableNano: bigint;
}

/** A level of a budget that a payment has reached. */
export interface ReachedBudget extends LimitedBudget {
  readonly period: string;
  readonly level: WarningLevel;
  readonly spentNano: bigint;
}

/** What has changed, for the row of a period. */
export interface ChangedBudgetPeriod extends BudgetPeriod {
  readonly budget: string;
  readonly period: string;
}

/**
 * The budgets of one organization while its account is locked. In each period, what is spent and held together never
 * exceeds the limit, unless the limit was lowered.
 */
export class PurseBudgets {
  private readonly bySubject: ReadonlyMap<string, BudgetFacts>;
  private readonly byId: ReadonlyMap<string, BudgetFacts & { readonly periods: Map<string, BudgetPeriod> }>;
  private readonly touched = new Map<string, HeldBudget>();

  constructor(budgets: readonly BudgetFacts[]) {
    const own = budgets.map((budget) => ({ ...budget, periods: new Map(budget.periods) }));
    this.bySubject = new Map(own.map((budget) => [budget.subject, budget]));
    this.byId = new Map(own.map((budget) => [budget.id, budget]));
  }

  get changed(): ChangedBudgetPeriod[] {
    return [...this.touched.values()].map(({ budget, period }) => ({
      budget,
      period,
      ...this.byId.get(budget)!.periods.get(period)!,
    }));
  }

  /** Returns the first budget of the subjects that leaves too little, or undefined. Subjects need no budget. */
  refusalOf(subjects: readonly string[], amountNano: bigint, at: Date): BudgetRefusal | undefined {
    for (const budget of this.of(subjects)) {
      const { postedNano, heldNano } = budget.periods.get(periodOf(budget.window, at)) ?? EMPTY;
      const room = budget.limitNano - postedNano - heldNano;
      if (amountNano > room) return { refused: 'budget', budget, availableNano: room > 0n ? room : 0n };
    }
    return undefined;
  }

  /** Returns how much more than is held the tightest of these budgets leaves, or undefined without any. */
  roomOf(held: readonly HeldBudget[]): bigint | undefined {
    return held.reduce<bigint | undefined>((least, each) => {
      const figures = this.byId.get(each.budget)?.periods.get(each.period);
      if (figures === undefined) return least;
      const room = this.byId.get(each.budget)!.limitNano - figures.postedNano - figures.heldNano;
      const left = room > 0n ? room : 0n;
      return least === undefined || left < least ? left : least;
    }, undefined);
  }

  /** Takes the amount from the budgets of all subjects, after {@link refusalOf} refused none. */
  hold(subjects: readonly string[], amountNano: bigint, at: Date): HeldBudget[] {
    const held = this.of(subjects).map(({ id, window }) => ({ budget: id, period: periodOf(window, at) }));
    for (const each of held) this.period(each)!.heldNano += amountNano;
    return held;
  }

  /** Spends `paidNano` of the amount that was held, releases the rest, and returns the levels that are reached now. */
  settle(held: readonly HeldBudget[], amountNano: bigint, paidNano: bigint): ReachedBudget[] {
    return held.flatMap((each) => {
      const figures = this.period(each);
      if (figures === undefined) return [];
      const { id, subject, window, limitNano } = this.byId.get(each.budget)!;
      const before = reachedLevels(figures.postedNano, limitNano);
      figures.heldNano -= amountNano;
      figures.postedNano += paidNano;
      return reachedLevels(figures.postedNano, limitNano)
        .filter((level) => !before.includes(level))
        .map((level) => ({
          id,
          subject,
          window,
          limitNano,
          period: each.period,
          level,
          spentNano: figures.postedNano,
        }));
    });
  }

  release(held: readonly HeldBudget[], amountNano: bigint): void {
    this.settle(held, amountNano, 0n);
  }

  private of(subjects: readonly string[]): BudgetFacts[] {
    return [...new Set(subjects)].flatMap((subject) => this.bySubject.get(subject) ?? []);
  }

  /** Undefined when the budget was deleted meanwhile: nothing is left to release then. */
  private period({ budget, period }: HeldBudget): BudgetPeriod | undefined {
    const periods = this.byId.get(budget)?.periods;
    if (periods === undefined) return undefined;
    this.touched.set(`${budget} ${period}`, { budget, period });
    let figures = periods.get(period);
    if (figures === undefined) periods.set(period, (figures = { postedNano: 0n, heldNano: 0n }));
    return figures;
  }
}

const EMPTY: BudgetPeriod = { postedNano: 0n, heldNano: 0n };
