import fc from 'fast-check';
import { AppUnavailable } from '../hosting.errors.js';
import { AppSlots, type Slot } from './app-slots.js';

interface Server {
  isIdle: boolean;
  isFrozen: boolean;
  idleMs: number;
}

const running = (): Server => ({ isIdle: false, isFrozen: false, idleMs: 0 });
const asleep = (idleMs = 100_000): Server => ({ isIdle: true, isFrozen: true, idleMs });

describe('slots for servers of apps', () => {
  const filled = (
    most: number,
    ...orgs: readonly [string, Server][]
  ): { slots: AppSlots<Server>; taken: Slot<Server>[] } => {
    const slots = new AppSlots<Server>(most);
    const taken = orgs.map(([orgId, server]) => {
      const { slot } = slots.take(orgId, 99);
      slot.server = server;
      return slot;
    });
    return { slots, taken };
  };

  it('are as many for an organization as its plan allows, however many are free', () => {
    const { slots } = filled(32, ['one', running()], ['one', running()]);
    expect(() => slots.take('one', 2)).toThrow(new AppUnavailable('plan'));
    expect(slots.take('two', 2).evicted).toBeUndefined();
  });

  it('count servers that are only being started', () => {
    const slots = new AppSlots<Server>();
    slots.take('one', 1);
    expect(() => slots.take('one', 1)).toThrow(new AppUnavailable('plan'));
  });

  it('go from an own server that nobody uses to another one', () => {
    const [early, late] = [asleep(9_000), asleep(1_000)];
    const { slots } = filled(32, ['one', late], ['one', early], ['one', running()]);
    expect(slots.take('one', 3).evicted).toBe(early);
    expect(slots.countOf('one')).toBe(3);
  });

  it('evict a frozen server of another organization before a running one', () => {
    const sleeper = asleep();
    const { slots } = filled(3, ['one', running()], ['one', running()], ['two', sleeper]);
    expect(slots.take('three', 5).evicted).toBe(sleeper);
  });

  it('evict the second server of the largest organization for one without any, when all are in use', () => {
    const second = running();
    const { slots } = filled(3, ['one', running()], ['two', running()], ['one', second]);
    expect(slots.take('three', 5).evicted).toBe(second);
    expect(() => slots.take('four', 5)).toThrow(new AppUnavailable('full'));
    expect(() => slots.take('three', 5)).toThrow(new AppUnavailable('full'));
  });

  it('are given back once', () => {
    const { slots, taken } = filled(2, ['one', running()]);
    slots.release(taken[0]!);
    slots.release(taken[0]!);
    expect(slots.size).toBe(0);
  });

  it('never go beyond their number or a plan, and no organization stays without while another has two', () => {
    const orgs = ['a', 'b', 'c', 'd', 'e'];
    const step = fc.record({
      org: fc.constantFrom(...orgs),
      kind: fc.constantFrom('take', 'end', 'sleep', 'wake'),
      which: fc.nat(10),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, most, allowed) => {
          const slots = new AppSlots<Server>(most);
          let held: Slot<Server>[] = [];
          for (const { org, kind, which } of steps) {
            const chosen = held[which % Math.max(1, held.length)];
            if (kind === 'take') {
              const before = slots.countOf(org);
              try {
                const { slot, evicted } = slots.take(org, allowed);
                held = [...held.filter(({ server }) => server === undefined || server !== evicted), slot];
                slot.server = running();
              } catch (error) {
                expect(error).toBeInstanceOf(AppUnavailable);
                if ((error as AppUnavailable).reason === 'plan') expect(before).toBe(allowed);
                else if (before === 0) for (const other of orgs) expect(slots.countOf(other)).toBeLessThanOrEqual(1);
              }
            } else if (chosen !== undefined && kind === 'end') {
              slots.release(chosen);
              held = held.filter((each) => each !== chosen);
            } else if (chosen?.server !== undefined) {
              Object.assign(chosen.server, kind === 'sleep' ? asleep(which) : running());
            }
            expect(slots.size).toBe(held.length);
            expect(slots.size).toBeLessThanOrEqual(most);
            for (const each of orgs) expect(slots.countOf(each)).toBeLessThanOrEqual(allowed);
          }
        },
      ),
    );
  });
});
