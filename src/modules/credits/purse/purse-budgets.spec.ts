import fc from 'fast-check';
import { type BudgetFacts, type HeldBudget, PurseBudgets } from './purse-budgets.js';

const AT = new Date('2026-11-23T12:00:00Z');
const NEXT_DAY = new Date('2026-11-24T00:00:00Z');

const budget = (subject: string, input: Partial<BudgetFacts> = {}): BudgetFacts => ({
  id: `bgt_${subject}`,
  subject,
  window: 'month',
  limitNano: 100n,
  periods: new Map(),
  ...input,
});

describe('the budgets of a purse', () => {
  it('need room in the budget of each subject, and none for subjects without one', () => {
    const budgets = new PurseBudgets([budget('key:a'), budget('agent:b', { limitNano: 30n })]);
    expect(budgets.refusalOf(['key:a', 'agent:b', 'run:c'], 31n, AT)).toMatchObject({
      budget: { subject: 'agent:b' },
      availableNano: 30n,
    });
    expect(budgets.refusalOf(['key:a', 'agent:b', 'run:c'], 30n, AT)).toBeUndefined();
    expect(budgets.hold(['key:a', 'agent:b', 'run:c'], 30n, AT)).toEqual([
      { budget: 'bgt_key:a', period: '2026-11' },
      { budget: 'bgt_agent:b', period: '2026-11' },
    ]);
    expect(budgets.refusalOf(['agent:b'], 1n, AT)).toMatchObject({ availableNano: 0n });
    expect(budgets.refusalOf(['run:c'], 1_000n, AT)).toBeUndefined();
  });

  it('spend in the period in which the work began, and have spent nothing in the next', () => {
    const budgets = new PurseBudgets([budget('key:a', { window: 'day' })]);
    const held = budgets.hold(['key:a'], 100n, AT);
    expect(budgets.refusalOf(['key:a'], 1n, AT)).toBeDefined();
    expect(budgets.refusalOf(['key:a'], 100n, NEXT_DAY)).toBeUndefined();
    budgets.settle(held, 100n, 40n);
    expect(budgets.changed).toEqual([{ budget: 'bgt_key:a', period: '2026-11-23', postedNano: 40n, heldNano: 0n }]);
  });

  it('report each level once, when it is reached', () => {
    const budgets = new PurseBudgets([budget('key:a')]);
    const spend = (nano: bigint): number[] =>
      budgets.settle(budgets.hold(['key:a'], nano, AT), nano, nano).map(({ level }) => level);
    expect([spend(49n), spend(1n), spend(1n), spend(49n), spend(0n)]).toEqual([[], [50], [], [80, 100], []]);
  });

  it('forget what is held of a budget that was deleted', () => {
    const budgets = new PurseBudgets([]);
    const held: HeldBudget[] = [{ budget: 'bgt_gone', period: 'total' }];
    expect(budgets.settle(held, 10n, 5n)).toEqual([]);
    expect(budgets.changed).toEqual([]);
  });

  it('never spend and hold more than the limit, whatever happens in which order', () => {
    const step = fc.record({
      do: fc.constantFrom('hold' as const, 'settle' as const, 'release' as const),
      nano: fc.bigInt({ min: 0n, max: 60n }),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 100n }), fc.array(step, { maxLength: 40 }), (limitNano, steps) => {
        const budgets = new PurseBudgets([budget('key:a', { limitNano, window: 'total' })]);
        const open: { held: HeldBudget[]; nano: bigint }[] = [];
        for (const each of steps) {
          if (each.do === 'hold') {
            if (budgets.refusalOf(['key:a'], each.nano, AT) !== undefined) continue;
            open.push({ held: budgets.hold(['key:a'], each.nano, AT), nano: each.nano });
          } else {
            const [one] = open.splice(each.which % (open.length || 1), 1);
            if (one === undefined) continue;
            const paid = each.do === 'settle' ? (each.nano < one.nano ? each.nano : one.nano) : 0n;
            budgets.settle(one.held, one.nano, paid);
          }
          for (const { postedNano, heldNano } of budgets.changed) {
            expect(postedNano + heldNano <= limitNano).toBe(true);
            expect(heldNano).toBe(open.reduce((sum, { nano }) => sum + nano, 0n));
          }
        }
      }),
    );
  });
});
