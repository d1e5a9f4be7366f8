import type { Meter } from '../../metering/meter.js';
import { monthOf } from '../../metering/month.js';

/** A grant and what is left of it. */
export interface HeldGrant {
  readonly id: string;
  readonly priority: number;
  readonly expiresAt: Date | null;
  readonly appliesTo: readonly Meter[] | null;
  readonly amountNano: bigint;
  remainingNano: bigint;
  /** Of what remains, held for work that is under way. */
  heldNano: bigint;
}

/** What of a hold, or of a payment, is of which grant. */
export interface GrantPart {
  readonly grant: string;
  readonly nano: bigint;
}

/** Whom the money of a piece of work comes from. */
export interface Split {
  readonly parts: readonly GrantPart[];
  readonly creditNano: bigint;
  readonly billedNano: bigint;
}

/** A hold, as far as a purse needs to know it. */
export interface Held extends Split {
  readonly meter: Meter;
  readonly amountNano: bigint;
  /** Its billed part counts towards this one. */
  readonly month: string;
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
  readonly months: ReadonlyMap<string, BilledMonth>;
  /** Null: none. */
  readonly capNano: bigint | null;
}

interface HoldInput {
  readonly meter: Meter;
  readonly amountNano: bigint;
  readonly at: Date;
  /** Whether usage beyond the credits is billed. */
  readonly postpaid: boolean;
}

/** What is asked for is not there: so much is. */
export interface Refused {
  readonly refused: 'credits' | 'cap';
  readonly availableNano: bigint;
}

export interface Paid extends Split {
  /** The part of the cost that is above what was held. */
  readonly lostNano: bigint;
}

const NOTHING: Split = { parts: [], creditNano: 0n, billedNano: 0n };

/**
 * The money of one organization, while its account is locked. Nothing of it is overspent: a hold takes only what no
 * other hold has, and what is paid for is never more than was held.
 */
export class Purse {
  readonly orgId: string;
  readonly capNano: bigint | null;
  postedNano: bigint;
  heldNano: bigint;
  readonly months: Map<string, BilledMonth>;
  private readonly inOrder: HeldGrant[];
  private readonly byId: Map<string, HeldGrant>;

  constructor({ orgId, postedNano, heldNano, grants, months, capNano }: PurseFacts) {
    this.orgId = orgId;
    this.postedNano = postedNano;
    this.heldNano = heldNano;
    this.capNano = capNano;
    this.months = new Map(months);
    this.inOrder = grants.toSorted(byUse);
    this.byId = new Map(grants.map((grant) => [grant.id, grant]));
  }

  /** By priority, then expiry, then age. */
  get grants(): readonly HeldGrant[] {
    return this.inOrder;
  }

  /** Credits that new work of the meter can hold. */
  available(meter: Meter, at: Date): bigint {
    return this.inOrder.reduce((sum, grant) => sum + freeOf(grant, meter, at), 0n);
  }

  /** Holds credits first and then, where usage is billed, room below the spend cap; all of it or nothing. */
  hold({ meter, amountNano, at, postpaid }: HoldInput): Held | Refused {
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
    return { meter, amountNano, month, parts, creditNano, billedNano };
  }

  /** What of an amount can be held. */
  payable({ meter, amountNano, at, postpaid }: HoldInput): bigint {
    const creditNano = least(this.available(meter, at), amountNano);
    if (!postpaid) return creditNano;
    return creditNano + least(this.roomBelowCap(monthOf(at).name) ?? amountNano, amountNano - creditNano);
  }

  /** Pays `costNano` of what is held, at most all of it, and gives the rest back. */
  settle(held: Held, costNano: bigint, at: Date): Paid {
    const own = new Map(held.parts.map(({ grant, nano }) => [grant, nano]));
    this.reserve(held, -1n);
    const paidNano = least(costNano, held.amountNano);
    // The best credits there are by now; of those that have expired meanwhile, what this hold had of them.
    const usable = (grant: HeldGrant): bigint =>
      isOver(grant, at) ? (own.get(grant.id) ?? 0n) : freeOf(grant, held.meter, at);
    const creditNano = least(
      paidNano,
      this.inOrder.reduce((sum, grant) => sum + usable(grant), 0n),
    );
    const parts = this.split(creditNano, usable);
    const billedNano = paidNano - creditNano;
    for (const { grant, nano } of parts) this.byId.get(grant)!.remainingNano -= nano;
    this.postedNano -= creditNano;
    if (billedNano > 0n) this.month(held.month).postedNano += billedNano;
    return { parts, creditNano, billedNano, lostNano: costNano - paidNano };
  }

  /** Gives back all that is held. */
  release(held: Held): Split {
    this.reserve(held, -1n);
    return NOTHING;
  }

  add(grant: HeldGrant): void {
    this.inOrder.push(grant);
    this.inOrder.sort(byUse);
    this.byId.set(grant.id, grant);
    this.postedNano += grant.remainingNano;
  }

  /** Takes out what has expired and is not held; says what that was. */
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

  /**
   * Puts credits back into the grants that they came from, those that were used last first. What is left as paid is
   * returned.
   */
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

  private roomBelowCap(month: string): bigint | null {
    if (this.capNano === null) return null;
    const { postedNano, heldNano } = this.month(month);
    const room = this.capNano - postedNano - heldNano;
    return room > 0n ? room : 0n;
  }

  private month(month: string): BilledMonth {
    let found = this.months.get(month);
    if (found === undefined) this.months.set(month, (found = { postedNano: 0n, heldNano: 0n }));
    return found;
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
    if (billedNano > 0n) this.month(month).heldNano += sign * billedNano;
  }
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

const isOver = ({ expiresAt }: HeldGrant, at: Date): boolean => expiresAt !== null && expiresAt <= at;

const freeOf = (grant: HeldGrant, meter: Meter, at: Date): bigint =>
  isOver(grant, at) || grant.appliesTo?.includes(meter) === false ? 0n : grant.remainingNano - grant.heldNano;

/** Ids are sorted by birth. */
function byUse(one: HeldGrant, other: HeldGrant): number {
  if (one.priority !== other.priority) return one.priority - other.priority;
  const [oneEnds, otherEnds] = [one.expiresAt?.getTime() ?? Infinity, other.expiresAt?.getTime() ?? Infinity];
  if (oneEnds !== otherEnds) return oneEnds < otherEnds ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
