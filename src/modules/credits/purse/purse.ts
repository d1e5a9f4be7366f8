import assert from 'node:assert/strict';
import type { Meter } from '../../metering/meter.js';
import { monthOf } from '../../metering/month.js';
import {
  type BudgetFacts,
  type BudgetRefusal,
  type HeldBudget,
  PurseBudgets,
  type ReachedBudget,
} from './purse-budgets.js';

/** A grant and what is left of it. */
export interface HeldGrant {
  readonly id: string;
  readonly priority: number;
  readonly expiresAt: Date | null;
  readonly appliesTo: readonly Meter[] | null;
  readonly amountNano: bigint;
  remainingNano: bigint;
  /** The part of the remainder that is held for running work. */
  heldNano: bigint;
}

/** The part of a hold or a payment that one grant covers. */
export interface GrantPart {
  readonly grant: string;
  readonly nano: bigint;
}

/** How credits and the invoice share the cost of a piece of work. */
export interface Split {
  readonly parts: readonly GrantPart[];
  readonly creditNano: bigint;
  readonly billedNano: bigint;
}

/** Who pays what work costs beyond its hold, while there is room: credits alone, or credits and then the invoice. */
type PayerBeyond = 'credits' | 'invoice';

/** The facts of a hold that a purse needs. */
export interface Held extends Split {
  readonly meter: Meter;
  readonly amountNano: bigint;
  /** The month that the billed part counts towards. */
  readonly month: string;
  readonly budgets: readonly HeldBudget[];
  /** Null when the platform bears what the work costs beyond its hold. */
  readonly beyond: PayerBeyond | null;
  /**
   * What budgets hold, and later what they have counted, of work that is paid for elsewhere, which has an amount of
   * zero. Null for work that is charged: they count its amount and its cost.
   */
  readonly countedNano: bigint | null;
}

export interface BilledMonth {
  postedNano: bigint;
  heldNano: bigint;
}

export interface PurseFacts {
  readonly orgId: string;
  readonly postedNano: bigint;
  readonly heldNano: bigint;
  readonly grants: readonly HeldGrant[];
  /** Every month that the work may touch; others are an error, because their figures are not known. */
  readonly months: ReadonlyMap<string, BilledMonth>;
  /** The spend cap. Null when there is none. */
  readonly capNano: bigint | null;
  readonly budgets: readonly BudgetFacts[];
}

interface HoldInput {
  readonly meter: Meter;
  readonly amountNano: bigint;
  readonly at: Date;
  /** True when the plan bills usage beyond the credits. */
  readonly postpaid: boolean;
  /** Whose budgets must have room, besides the credits and the cap. */
  readonly subjects?: readonly string[];
  /** True when cost beyond the hold is charged, too, as far as there is room. */
  readonly chargesBeyond?: boolean;
  /** See {@link Held.countedNano}. */
  readonly countedNano?: bigint | null;
}

/** The amount is not available; `availableNano` is. */
export type Refused = { readonly refused: 'credits' | 'cap'; readonly availableNano: bigint } | BudgetRefusal;

export interface Paid extends Split {
  /** The part of the cost that nobody pays. */
  readonly lostNano: bigint;
  readonly reached: readonly ReachedBudget[];
}

const NOTHING: Split = { parts: [], creditNano: 0n, billedNano: 0n };

/**
 * The money of one organization while its account is locked. It cannot be overspent: a hold takes only what no other
 * hold has, and a payment takes its hold and, if the work is charged beyond it, what no other hold has.
 */
export class Purse {
  readonly orgId: string;
  readonly capNano: bigint | null;
  readonly budgets: PurseBudgets;
  postedNano: bigint;
  heldNano: bigint;
  readonly months: ReadonlyMap<string, BilledMonth>;
  /** The names of the months whose figures have changed. */
  readonly changedMonths = new Set<string>();
  private readonly inOrder: HeldGrant[];
  private readonly byId: Map<string, HeldGrant>;

  constructor({ orgId, postedNano, heldNano, grants, months, capNano, budgets }: PurseFacts) {
    this.orgId = orgId;
    this.postedNano = postedNano;
    this.heldNano = heldNano;
    this.capNano = capNano;
    this.budgets = new PurseBudgets(budgets);
    this.months = months;
    this.inOrder = grants.toSorted(byUse);
    this.byId = new Map(grants.map((grant) => [grant.id, grant]));
  }

  /** Ordered by priority, then expiry, then age. */
  get grants(): readonly HeldGrant[] {
    return this.inOrder;
  }

  /** Returns the credits that new work of the meter can hold. */
  available(meter: Meter, at: Date): bigint {
    return this.inOrder.reduce((sum, grant) => sum + freeOf(grant, meter, at), 0n);
  }

  /**
   * Holds credits first and then, if usage is billed, room below the spend cap, and all of the amount in each budget.
   * It holds all of the amount or nothing.
   */
  hold(input: HoldInput): Held | Refused {
    const { meter, amountNano, at, postpaid, subjects = [], chargesBeyond = false, countedNano = null } = input;
    const overBudget = this.budgets.refusalOf(subjects, countedNano ?? amountNano, at);
    if (overBudget !== undefined) return overBudget;
    const month = monthOf(at).name;
    const availableNano = this.available(meter, at);
    const creditNano = least(availableNano, amountNano);
    const billedNano = amountNano - creditNano;
    if (billedNano > 0n) {
      if (!postpaid) return { refused: 'credits', availableNano };
      const room = this.roomBelowCap(month);
      if (room !== null && billedNano > room) return { refused: 'cap', availableNano: availableNano + room };
    }
    const parts = this.split(creditNano, (grant) => freeOf(grant, meter, at));
    this.reserve({ parts, creditNano, billedNano, month }, 1n);
    const budgets = this.budgets.hold(subjects, countedNano ?? amountNano, at);
    const beyond = chargesBeyond ? (postpaid ? 'invoice' : 'credits') : null;
    return { meter, amountNano, month, parts, creditNano, billedNano, budgets, beyond, countedNano };
  }

  /** Returns how much of an amount can be held. */
  payable({ meter, amountNano, at, postpaid }: HoldInput): bigint {
    const creditNano = least(this.available(meter, at), amountNano);
    if (!postpaid) return creditNano;
    return creditNano + least(this.roomBelowCap(monthOf(at).name) ?? amountNano, amountNano - creditNano);
  }

  /** Pays `costNano` from the hold, and beyond it where the hold says so. Releases the rest. */
  settle(held: Held, costNano: bigint, at: Date): Paid {
    const own = new Map(held.parts.map(({ grant, nano }) => [grant, nano]));
    this.reserve(held, -1n);
    const payableNano = least(costNano, held.amountNano + this.excessWithin(held, costNano));
    // The best credits available now pay; expired grants pay only with what this hold had of them.
    const usable = (grant: HeldGrant): bigint =>
      isOver(grant, at) ? (own.get(grant.id) ?? 0n) : freeOf(grant, held.meter, at);
    const creditNano = least(
      payableNano,
      this.inOrder.reduce((sum, grant) => sum + usable(grant), 0n),
    );
    const parts = this.split(creditNano, usable);
    const billedNano = this.billableOf(payableNano - creditNano, held);
    const paidNano = creditNano + billedNano;
    for (const { grant, nano } of parts) this.byId.get(grant)!.remainingNano -= nano;
    this.postedNano -= creditNano;
    if (billedNano > 0n) this.changeMonth(held.month).postedNano += billedNano;
    const reached = this.budgets.settle(held.budgets, held.amountNano, paidNano);
    return { parts, creditNano, billedNano, lostNano: costNano - paidNano, reached };
  }

  /** Counts `costNano` in the budgets of work that is paid for elsewhere, at most what they hold for it. */
  count({ budgets, countedNano }: Held, costNano: bigint): Pick<Held, 'countedNano'> & Pick<Paid, 'reached'> {
    assert(countedNano !== null, 'The work is charged.');
    const nano = least(costNano, countedNano);
    return { countedNano: nano, reached: this.budgets.settle(budgets, countedNano, nano) };
  }

  /** Releases the hold. */
  release(held: Held): Split {
    this.reserve(held, -1n);
    this.budgets.release(held.budgets, held.countedNano ?? held.amountNano);
    return NOTHING;
  }

  add(grant: HeldGrant): void {
    this.inOrder.push(grant);
    this.inOrder.sort(byUse);
    this.byId.set(grant.id, grant);
    this.postedNano += grant.remainingNano;
  }

  /** Removes credits that have expired and are not held, and returns them. */
  expire(at: Date): GrantPart[] {
    const gone = this.inOrder
      .filter((grant) => isOver(grant, at) && grant.remainingNano > grant.heldNano)
      .map((grant) => ({ grant: grant.id, nano: grant.remainingNano - grant.heldNano }));
    for (const { grant, nano } of gone) {
      this.byId.get(grant)!.remainingNano -= nano;
      this.postedNano -= nano;
    }
    return gone;
  }

  /** Refunds credits into the grants that they came from, in reverse order of use, and returns what stays paid. */
  refund({ parts, creditNano, billedNano }: Split, refundNano: bigint): Split {
    let rest = refundNano;
    const left: GrantPart[] = [];
    for (const { grant, nano } of parts.toReversed()) {
      const back = least(rest, nano);
      rest -= back;
      this.byId.get(grant)!.remainingNano += back;
      if (nano > back) left.unshift({ grant, nano: nano - back });
    }
    this.postedNano += refundNano;
    return { parts: left, creditNano: creditNano - refundNano, billedNano };
  }

  /** How much of the cost beyond the hold its budgets leave room for. */
  private excessWithin({ amountNano, beyond, budgets }: Held, costNano: bigint): bigint {
    if (beyond === null || costNano <= amountNano) return 0n;
    const room = this.budgets.roomOf(budgets);
    return room === undefined ? costNano - amountNano : least(room, costNano - amountNano);
  }

  /** How much can be billed for work whose hold was just released. What it held can, although the cap was lowered. */
  private billableOf(nano: bigint, { beyond, billedNano, month }: Held): bigint {
    const room = beyond === 'invoice' ? (this.roomBelowCap(month) ?? nano) : 0n;
    return least(nano, room > billedNano ? room : billedNano);
  }

  private roomBelowCap(month: string): bigint | null {
    if (this.capNano === null) return null;
    const { postedNano, heldNano } = this.month(month);
    const room = this.capNano - postedNano - heldNano;
    return room > 0n ? room : 0n;
  }

  private month(month: string): BilledMonth {
    const found = this.months.get(month);
    assert(found !== undefined, `The figures of ${month} were not read.`);
    return found;
  }

  private changeMonth(month: string): BilledMonth {
    this.changedMonths.add(month);
    return this.month(month);
  }

  private split(totalNano: bigint, of: (grant: HeldGrant) => bigint): GrantPart[] {
    let rest = totalNano;
    const parts: GrantPart[] = [];
    for (const grant of this.inOrder) {
      if (rest === 0n) break;
      const nano = least(rest, of(grant));
      if (nano > 0n) parts.push({ grant: grant.id, nano });
      rest -= nano;
    }
    return parts;
  }

  private reserve({ parts, creditNano, billedNano, month }: Split & { month: string }, sign: 1n | -1n): void {
    for (const { grant, nano } of parts) this.byId.get(grant)!.heldNano += sign * nano;
    this.heldNano += sign * creditNano;
    if (billedNano > 0n) this.changeMonth(month).heldNano += sign * billedNano;
  }
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

const isOver = ({ expiresAt }: HeldGrant, at: Date): boolean => expiresAt !== null && expiresAt <= at;

const freeOf = (grant: HeldGrant, meter: Meter, at: Date): bigint =>
  isOver(grant, at) || grant.appliesTo?.includes(meter) === false ? 0n : grant.remainingNano - grant.heldNano;

/** Ids sort by the time of creation. */
function byUse(one: HeldGrant, other: HeldGrant): number {
  if (one.priority !== other.priority) return one.priority - other.priority;
  const [oneEnds, otherEnds] = [one.expiresAt?.getTime() ?? Infinity, other.expiresAt?.getTime() ?? Infinity];
  if (oneEnds !== otherEnds) return oneEnds < otherEnds ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
