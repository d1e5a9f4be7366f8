import fc from 'fast-check';
import { type Meter, METERS } from '../../metering/meter.js';
import { type BilledMonth, type Held, type HeldGrant, Purse, type Split } from './purse.js';

const AT = new Date('2026-11-21T12:00:00Z');
const LATER = new Date('2026-11-21T13:00:00Z');

const grant = (id: string, input: Partial<HeldGrant> = {}): HeldGrant => {
  const amountNano = input.amountNano ?? 100n;
  return {
    id: `crg_${id}`,
    priority: 100,
    expiresAt: null,
    appliesTo: null,
    amountNano,
    remainingNano: amountNano,
    heldNano: 0n,
    ...input,
  };
};

const emptyMonths = (): Map<string, BilledMonth> => new Map([['2026-11-01', { postedNano: 0n, heldNano: 0n }]]);

const SUBJECT = 'key:key_1';

const purseOf = (grants: HeldGrant[], capNano: bigint | null = null, limitNano: bigint | null = null): Purse => {
  const sum = grants.reduce((total, { remainingNano }) => total + remainingNano, 0n);
  return new Purse({
    orgId: 'org_1',
    postedNano: sum,
    heldNano: 0n,
    grants,
    months: emptyMonths(),
    capNano,
    budgets:
      limitNano === null ? [] : [{ id: 'bud_1', subject: SUBJECT, window: 'total', limitNano, periods: new Map() }],
  });
};

const hold = (
  purse: Purse,
  amountNano: bigint,
  {
    postpaid = false,
    at = AT,
    meter = 'sandbox_compute',
    chargesBeyond = false,
  }: { postpaid?: boolean; at?: Date; meter?: Meter; chargesBeyond?: boolean } = {},
): Held => {
  const held = purse.hold({ meter, amountNano, at, postpaid, chargesBeyond, subjects: [SUBJECT] });
  if ('refused' in held) throw new Error(`Refused: ${held.refused}, ${held.availableNano}`);
  return held;
};

describe('a purse', () => {
  it('uses grants by priority, then expiry, then age', () => {
    const purse = purseOf([
      grant('4'),
      grant('3'),
      grant('2', { expiresAt: LATER }),
      grant('1', { priority: 200 }),
      grant('5', { priority: 1 }),
    ]);
    const held = hold(purse, 410n);
    expect(held.parts).toEqual([
      { grant: 'crg_5', nano: 100n },
      { grant: 'crg_2', nano: 100n },
      { grant: 'crg_3', nano: 100n },
      { grant: 'crg_4', nano: 100n },
      { grant: 'crg_1', nano: 10n },
    ]);
    expect(purse.settle(held, 150n, AT)).toEqual({
      parts: [
        { grant: 'crg_5', nano: 100n },
        { grant: 'crg_2', nano: 50n },
      ],
      creditNano: 150n,
      billedNano: 0n,
      lostNano: 0n,
      reached: [],
    });
  });

  it('pays only for what a grant is for', () => {
    const purse = purseOf([grant('1', { appliesTo: ['ai_tokens'] })]);
    expect(purse.hold({ meter: 'sandbox_compute', amountNano: 1n, at: AT, postpaid: false })).toEqual({
      refused: 'credits',
      availableNano: 0n,
    });
    expect(hold(purse, 100n, { meter: 'ai_tokens' }).creditNano).toBe(100n);
  });

  it('holds no expired credits, and pays with credits that were held before they expired', () => {
    const purse = purseOf([grant('1', { expiresAt: LATER })]);
    const held = hold(purse, 60n);
    expect(purse.expire(LATER)).toEqual([{ grant: 'crg_1', nano: 40n }]);
    expect(purse.hold({ meter: 'sandbox_compute', amountNano: 1n, at: LATER, postpaid: false })).toEqual({
      refused: 'credits',
      availableNano: 0n,
    });
    expect(purse.settle(held, 50n, LATER).creditNano).toBe(50n);
    expect(purse.expire(LATER)).toEqual([{ grant: 'crg_1', nano: 10n }]);
    expect([purse.postedNano, purse.heldNano]).toEqual([0n, 0n]);
  });

  it('bills what credits do not cover, up to the spend cap, including holds', () => {
    const purse = purseOf([grant('1')], 50n);
    const held = hold(purse, 130n, { postpaid: true });
    expect(held).toMatchObject({ creditNano: 100n, billedNano: 30n, month: '2026-11-01' });
    expect(purse.hold({ meter: 'sandbox_compute', amountNano: 21n, at: AT, postpaid: true })).toEqual({
      refused: 'cap',
      availableNano: 20n,
    });
    expect(hold(purse, 20n, { postpaid: true }).billedNano).toBe(20n);
    expect(purse.settle(held, 110n, AT)).toMatchObject({ creditNano: 100n, billedNano: 10n });
    expect(purse.months.get('2026-11-01')).toEqual({ postedNano: 10n, heldNano: 20n });
    expect(hold(purse, 20n, { postpaid: true }).billedNano).toBe(20n);
  });

  it('bills nothing in a plan that bills no usage', () => {
    const purse = purseOf([grant('1')]);
    expect(purse.hold({ meter: 'sandbox_compute', amountNano: 101n, at: AT, postpaid: false })).toEqual({
      refused: 'credits',
      availableNano: 100n,
    });
  });

  it('prefers credits granted meanwhile to billing', () => {
    const purse = purseOf([]);
    const held = hold(purse, 40n, { postpaid: true });
    purse.add(grant('9'));
    expect(purse.settle(held, 30n, AT)).toMatchObject({ creditNano: 30n, billedNano: 0n });
    expect(purse.months.get('2026-11-01')).toEqual({ postedNano: 0n, heldNano: 0n });
  });

  it('never pays more than was held', () => {
    const purse = purseOf([grant('1')]);
    expect(purse.settle(hold(purse, 10n), 25n, AT)).toMatchObject({ creditNano: 10n, billedNano: 0n, lostNano: 15n });
    expect(purse.available('sandbox_compute', AT)).toBe(90n);
  });

  it.each([
    ['credits, when there are enough', { credits: 100n, cost: 25n }, { creditNano: 25n, billedNano: 0n, lostNano: 0n }],
    [
      'credits, as long as there are some',
      { credits: 20n, cost: 25n },
      { creditNano: 20n, billedNano: 0n, lostNano: 5n },
    ],
    [
      'credits, then the invoice',
      { credits: 20n, cost: 25n, postpaid: true },
      { creditNano: 20n, billedNano: 5n, lostNano: 0n },
    ],
    [
      'the invoice up to the spend cap',
      { credits: 20n, cost: 25n, postpaid: true, cap: 3n },
      { creditNano: 20n, billedNano: 3n, lostNano: 2n },
    ],
    [
      'credits within the budget',
      { credits: 100n, cost: 25n, limit: 13n },
      { creditNano: 13n, billedNano: 0n, lostNano: 12n },
    ],
  ])(
    'charges work beyond its hold where that was agreed: %s',
    (_what, { credits, cost, postpaid = false, cap = null, limit = null }: BeyondCase, paid) => {
      const purse = purseOf([grant('1', { amountNano: credits })], cap, limit);
      expect(purse.settle(hold(purse, 10n, { postpaid, chargesBeyond: true }), cost, AT)).toMatchObject(paid);
      expect(purse.budgets.changed.every(({ heldNano }) => heldNano === 0n)).toBe(true);
    },
  );

  it('takes nothing of other holds for work beyond its own', () => {
    const purse = purseOf([grant('1')]);
    const one = hold(purse, 10n, { chargesBeyond: true });
    const other = hold(purse, 80n);
    expect(purse.settle(one, 50n, AT)).toMatchObject({ creditNano: 20n, lostNano: 30n });
    expect(purse.settle(other, 80n, AT)).toMatchObject({ creditNano: 80n, lostNano: 0n });
  });

  it('pays what was held although the cap was lowered below it', () => {
    const purse = purseOf([], 50n);
    const held = hold(purse, 40n, { postpaid: true, chargesBeyond: true });
    const lowered = new Purse({
      ...{ orgId: 'org_1', postedNano: 0n, heldNano: 0n, grants: [], capNano: 10n, budgets: [] },
      months: new Map(purse.months),
    });
    expect(lowered.settle(held, 45n, AT)).toMatchObject({ billedNano: 40n, lostNano: 5n });
  });

  it('puts a refund back into the grants that were used last', () => {
    const purse = purseOf([grant('1'), grant('2')]);
    const paid = purse.settle(hold(purse, 150n), 150n, AT);
    expect(purse.refund(paid, 70n)).toEqual({
      parts: [{ grant: 'crg_1', nano: 80n }],
      creditNano: 80n,
      billedNano: 0n,
    });
    expect(purse.grants.map(({ remainingNano }) => remainingNano)).toEqual([20n, 100n]);
    expect(purse.postedNano).toBe(120n);
  });

  it('keeps its books balanced through any sequence of operations', () => {
    const amount = fc.bigInt({ min: 0n, max: 300n });
    const step = fc.oneof(
      fc.record({
        do: fc.constant('hold' as const),
        nano: amount,
        meter: fc.constantFrom(...METERS),
        postpaid: fc.boolean(),
        chargesBeyond: fc.boolean(),
      }),
      fc.record({
        do: fc.constantFrom('settle' as const, 'release' as const, 'refund' as const),
        nano: amount,
        which: fc.nat(),
      }),
      fc.record({
        do: fc.constant('grant' as const),
        nano: fc.bigInt({ min: 1n, max: 300n }),
        priority: fc.nat(3),
        lives: fc.option(fc.nat(20)),
        meters: fc.option(fc.subarray([...METERS], { minLength: 1 })),
      }),
      fc.record({ do: fc.constant('expire' as const) }),
    );
    const limit = fc.option(fc.bigInt({ min: 0n, max: 500n }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), limit, limit, (steps, capNano, limitNano) => {
        const purse = purseOf([], capNano, limitNano);
        const open: Held[] = [];
        const paid: Split[] = [];
        let [granted, expired, spent] = [0n, 0n, 0n];
        steps.forEach((each, index) => {
          const at = new Date(AT.getTime() + index * 1_000);
          switch (each.do) {
            case 'hold': {
              const before = purse.available(each.meter, at);
              const { nano: amountNano, meter, postpaid, chargesBeyond } = each;
              const held = purse.hold({ meter, amountNano, at, postpaid, chargesBeyond, subjects: [SUBJECT] });
              if ('refused' in held) expect(held.refused === 'budget' || before < each.nano).toBe(true);
              else open.push(held);
              break;
            }
            case 'settle': {
              const [held] = open.splice(each.which % (open.length || 1), 1);
              if (held === undefined) break;
              const result = purse.settle(held, each.nano, at);
              expect(result.creditNano + result.billedNano + result.lostNano).toBe(each.nano);
              const paidNano = result.creditNano + result.billedNano;
              if (held.beyond === null) expect(paidNano).toBeLessThanOrEqual(held.amountNano);
              else if (result.lostNano > 0n) expect(roomFor(purse, held, at)).toBe(0n);
              expect(paidNano).toBeGreaterThanOrEqual(least(each.nano, held.amountNano));
              spent += result.creditNano;
              paid.push(result);
              break;
            }
            case 'release': {
              const [held] = open.splice(each.which % (open.length || 1), 1);
              if (held !== undefined) purse.release(held);
              break;
            }
            case 'refund': {
              const [split] = paid.splice(each.which % (paid.length || 1), 1);
              if (split === undefined) break;
              const nano = each.nano < split.creditNano ? each.nano : split.creditNano;
              paid.push(purse.refund(split, nano));
              spent -= nano;
              break;
            }
            case 'grant':
              purse.add(
                grant(String(index).padStart(3, '0'), {
                  amountNano: each.nano,
                  priority: each.priority,
                  appliesTo: each.meters,
                  expiresAt: each.lives === null ? null : new Date(at.getTime() + each.lives * 1_000),
                }),
              );
              granted += each.nano;
              break;
            case 'expire':
              expired += purse.expire(at).reduce((sum, { nano }) => sum + nano, 0n);
              break;
          }
          const sumOf = (of: (each: HeldGrant) => bigint): bigint =>
            purse.grants.reduce((sum, one) => sum + of(one), 0n);
          expect(purse.postedNano).toBe(granted - expired - spent);
          expect(purse.postedNano).toBe(sumOf(({ remainingNano }) => remainingNano));
          expect(purse.heldNano).toBe(open.reduce((sum, { creditNano }) => sum + creditNano, 0n));
          expect(purse.heldNano).toBe(sumOf(({ heldNano }) => heldNano));
          for (const { remainingNano, heldNano, amountNano } of purse.grants) {
            expect(heldNano >= 0n && remainingNano >= heldNano && remainingNano <= amountNano).toBe(true);
          }
          const month = purse.months.get('2026-11-01') ?? { postedNano: 0n, heldNano: 0n };
          expect(month.heldNano).toBe(open.reduce((sum, { billedNano }) => sum + billedNano, 0n));
          expect(month.postedNano).toBe(paid.reduce((sum, { billedNano }) => sum + billedNano, 0n));
          for (const { postedNano, heldNano } of purse.budgets.changed) {
            expect(heldNano).toBe(open.reduce((sum, { amountNano }) => sum + amountNano, 0n));
            expect(postedNano + heldNano).toBeLessThanOrEqual(limitNano!);
          }
          if (capNano !== null) expect(month.postedNano + month.heldNano).toBeLessThanOrEqual(capNano);
        });
      }),
      { numRuns: 300 },
    );
  });
});

interface BeyondCase {
  readonly credits: bigint;
  readonly cost: bigint;
  readonly postpaid?: boolean;
  readonly cap?: bigint | null;
  readonly limit?: bigint | null;
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** What could still be charged for work that has the terms of a hold. */
function roomFor(purse: Purse, { meter, beyond, budgets }: Held, at: Date): bigint {
  const amountNano = 1n;
  const payable = purse.payable({ meter, amountNano, at, postpaid: beyond === 'invoice' });
  const room = purse.budgets.roomOf(budgets);
  return room === undefined ? payable : least(room, payable);
}
