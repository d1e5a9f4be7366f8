import assert from 'node:assert/strict';
import type { CreditGrant, CreateGrantInput } from '../domain/credit-grant.js';
import type { LedgerAccount } from '../domain/ledger-account.js';
import type { LedgerEntry, LedgerTransaction } from '../ledger-transaction.js';
import type { Hold } from './hold.js';
import { type HeldGrant, type Purse, type Refused } from './purse.js';
import type { ReachedBudget } from './purse-budgets.js';
import { reachedLevels, type SpendWarning } from './spend-warning.js';

export interface NewHold {
  readonly key: string;
  readonly orgId: string;
  readonly meter: Hold['meter'];
  readonly model: string | null;
  readonly amountNano: bigint;
  readonly begunAt: Date;
  readonly expiresAt: Date;
  readonly postpaid: boolean;
  readonly subjects?: readonly string[];
  readonly chargesBeyond?: boolean;
  /** See {@link Hold.countedNano}. */
  readonly countedNano?: bigint | null;
}

/** Usage that had no hold. */
export interface Charge extends Pick<NewHold, 'key' | 'orgId' | 'meter' | 'model' | 'postpaid'> {
  readonly costNano: bigint;
  readonly at: Date;
  readonly occurredAt: Date;
}

export type NewGrant = CreditGrant &
  Pick<CreateGrantInput, 'orgId' | 'reason' | 'key'> & { readonly grantedBy: string; readonly createdAt: Date };

/** The changes of a session besides accounts, grants and months. */
export interface Journal {
  /** Holds by their keys, so that each is written once, in its final state. */
  readonly begun: Map<string, Hold>;
  readonly changed: Map<string, Hold>;
  readonly granted: NewGrant[];
  readonly ledger: LedgerTransaction[];
  readonly warnings: SpendWarning[];
  readonly reachedBudgets: (ReachedBudget & { readonly orgId: string })[];
}

/** The purses that a database transaction has locked, and the operations on them before it writes. */
export class PurseSession {
  readonly journal: Journal = {
    begun: new Map(),
    changed: new Map(),
    granted: [],
    ledger: [],
    warnings: [],
    reachedBudgets: [],
  };
  private readonly holds: Map<string, Hold>;

  constructor(
    private readonly purses: ReadonlyMap<string, Purse>,
    holds: readonly Hold[],
  ) {
    this.holds = new Map(holds.map((hold) => [hold.key, hold]));
  }

  purse(orgId: string): Purse {
    const purse = this.purses.get(orgId);
    if (purse === undefined) throw new Error(`Organization ${orgId} not found.`);
    return purse;
  }

  find(key: string): Hold | undefined {
    return this.holds.get(key);
  }

  get(key: string): Hold {
    const hold = this.holds.get(key);
    if (hold === undefined) throw new Error(`There is no hold for ${key}.`);
    return hold;
  }

  /** Creates a hold, or returns the hold that the key already has. */
  hold(input: NewHold): Hold | Refused {
    const existing = this.holds.get(input.key);
    if (existing !== undefined) {
      if (existing.orgId !== input.orgId) throw new Error(`${input.key} is held by another organization.`);
      return existing;
    }
    const held = this.purse(input.orgId).hold({
      meter: input.meter,
      amountNano: input.amountNano,
      at: input.begunAt,
      postpaid: input.postpaid,
      ...(input.subjects === undefined ? {} : { subjects: input.subjects }),
      ...(input.chargesBeyond === undefined ? {} : { chargesBeyond: input.chargesBeyond }),
      countedNano: input.countedNano ?? null,
    });
    if ('refused' in held) return held;
    const { key, orgId, meter, model, amountNano, begunAt, expiresAt } = input;
    const { month, parts, creditNano, billedNano, budgets, beyond, countedNano } = held;
    const hold: Hold = {
      key,
      orgId,
      meter,
      model,
      amountNano,
      state: 'held',
      creditNano,
      billedNano,
      parts,
      budgets,
      beyond,
      countedNano,
      month,
      begunAt,
      expiresAt,
      endedAt: null,
      costNano: null,
      lostNano: null,
      refundedNano: 0n,
      occurredAt: null,
    };
    this.holds.set(hold.key, hold);
    this.journal.begun.set(hold.key, hold);
    return hold;
  }

  has(orgId: string): boolean {
    return this.purses.has(orgId);
  }

  /** Charges usage that has already happened, as far as credits and the spend cap allow. */
  charge({ costNano, at, occurredAt, ...input }: Charge): Hold {
    const payableNano = this.purse(input.orgId).payable({ ...input, amountNano: costNano, at });
    const held = this.hold({ ...input, amountNano: payableNano, begunAt: at, expiresAt: at });
    assert(!('refused' in held), 'The payable amount was refused.');
    return this.settle(input.key, costNano, { occurredAt, endedAt: at });
  }

  /**
   * Settles a hold once: work that already has a cost stays unchanged. If the hold was released before, the platform
   * bears the cost.
   */
  settle(key: string, costNano: bigint, { occurredAt, endedAt }: { occurredAt: Date; endedAt: Date }): Hold {
    const hold = this.get(key);
    if (hold.costNano !== null) return hold;
    assert(hold.countedNano === null, 'The work is paid for elsewhere.');
    if (hold.state !== 'held') return this.ended({ ...hold, costNano, lostNano: costNano, occurredAt });
    const purse = this.purse(hold.orgId);
    const before = purse.months.get(hold.month)?.postedNano ?? 0n;
    const { reached, ...paid } = purse.settle(hold, costNano, endedAt);
    this.journal.reachedBudgets.push(...reached.map((each) => ({ ...each, orgId: hold.orgId })));
    if (paid.billedNano > 0n && purse.capNano !== null)
      this.warn(purse, hold.month, { beforeNano: before, warnedAt: endedAt });
    return this.ended({ ...hold, ...paid, costNano, state: 'settled', occurredAt, endedAt });
  }

  /** Ends work that is paid for elsewhere, once. Its budgets count `costNano`, and nothing is charged. */
  count(key: string, costNano: bigint, { occurredAt, endedAt }: { occurredAt: Date; endedAt: Date }): Hold {
    const hold = this.get(key);
    if (hold.state !== 'held') return hold;
    const { reached, countedNano } = this.purse(hold.orgId).count(hold, costNano);
    this.journal.reachedBudgets.push(...reached.map((each) => ({ ...each, orgId: hold.orgId })));
    return this.ended({ ...hold, countedNano, costNano: 0n, lostNano: 0n, state: 'settled', occurredAt, endedAt });
  }

  /** Releases a hold once. A hold that has ended stays unchanged. */
  release(key: string, as: 'released' | 'expired', endedAt: Date): Hold {
    const hold = this.get(key);
    if (hold.state !== 'held') return hold;
    const ended: Hold = { ...hold, ...this.purse(hold.orgId).release(hold), state: as, endedAt };
    this.change(ended);
    return ended;
  }

  /** Refunds credits, at most what is still paid with credits, and returns the amount. */
  refund(key: string, requestedNano: bigint, { refundKey, at }: { refundKey: string; at: Date }): bigint {
    const hold = this.get(key);
    const nano = requestedNano < hold.creditNano ? requestedNano : hold.creditNano;
    if (hold.state !== 'settled' || nano <= 0n) return 0n;
    const ended: Hold = {
      ...hold,
      ...this.purse(hold.orgId).refund(hold, nano),
      refundedNano: hold.refundedNano + nano,
    };
    this.change(ended);
    this.post({ key: `refund:${refundKey}`, kind: 'refund', orgId: hold.orgId, at, details: { work: key } }, [
      ['revenue', nano],
      ['credits', -nano],
    ]);
    return nano;
  }

  grant(grant: NewGrant): void {
    const { orgId, id, amountNano, createdAt } = grant;
    const held: HeldGrant = { ...grant, heldNano: 0n };
    this.purse(orgId).add(held);
    this.journal.granted.push(grant);
    this.post({ key: `grant:${id}`, kind: 'grant', orgId, at: createdAt, details: { reason: grant.reason } }, [
      ['promotion', amountNano],
      ['credits', -amountNano],
    ]);
  }

  /** `name` creates the key of each transaction: a grant can expire again when a hold on it is released. */
  expire(orgId: string, at: Date, name: () => string): bigint {
    const expired = this.purse(orgId).expire(at);
    for (const { grant, nano } of expired) {
      this.post({ key: `expiry:${name()}`, kind: 'expiry', orgId, at, details: { grant } }, [
        ['credits', nano],
        ['promotion', -nano],
      ]);
    }
    return expired.reduce((sum, { nano }) => sum + nano, 0n);
  }

  /** Warns of every level reached under a new cap. Levels that were warned of before are not repeated. */
  warnOfAll(orgId: string, month: string, warnedAt: Date): void {
    const purse = this.purse(orgId);
    if (purse.capNano !== null) this.warn(purse, month, { beforeNano: null, warnedAt });
  }

  private ended(hold: Hold): Hold {
    const { key, orgId, creditNano, billedNano, lostNano, costNano, endedAt } = hold;
    this.change(hold);
    if (costNano !== null && costNano > 0n) {
      const details = { meter: hold.meter, ...(hold.model === null ? {} : { model: hold.model }) };
      this.post({ key: `usage:${key}`, kind: 'usage', orgId, at: endedAt!, details }, [
        ['credits', creditNano],
        ['usage_receivable', billedNano],
        ['platform_loss', lostNano!],
        ['revenue', -costNano],
      ]);
    }
    return hold;
  }

  private change(hold: Hold): void {
    this.holds.set(hold.key, hold);
    const { begun, changed } = this.journal;
    (begun.has(hold.key) ? begun : changed).set(hold.key, hold);
  }

  private warn(
    { orgId, capNano, months }: Purse,
    month: string,
    { beforeNano, warnedAt }: { beforeNano: bigint | null; warnedAt: Date },
  ): void {
    const billedNano = months.get(month)?.postedNano ?? 0n;
    const before = beforeNano === null ? [] : reachedLevels(beforeNano, capNano!);
    const reached = reachedLevels(billedNano, capNano!).filter((level) => !before.includes(level));
    this.journal.warnings.push(
      ...reached.map((level) => ({ orgId, month, level, billedNano, capNano: capNano!, warnedAt })),
    );
  }

  private post(
    transaction: Omit<LedgerTransaction, 'entries'>,
    entries: readonly (readonly [LedgerAccount, bigint])[],
  ): void {
    const { orgId } = transaction;
    const some = entries
      .filter(([, amountNano]) => amountNano !== 0n)
      .map(([account, amountNano]): LedgerEntry => ({ account, amountNano, orgId }));
    this.journal.ledger.push({ ...transaction, entries: some });
  }
}
