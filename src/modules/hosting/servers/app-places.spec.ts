import fc from 'fast-check';
import { AppUnavailable } from '../hosting.errors.js';
import { AppPlaces, type Place } from './app-places.js';

interface Server {
  isIdle: boolean;
  isFrozen: boolean;
  idleMs: number;
}

const running = (): Server => ({ isIdle: false, isFrozen: false, idleMs: 0 });
const asleep = (idleMs = 100_000): Server => ({ isIdle: true, isFrozen: true, idleMs });

describe('places for servers of apps', () => {
  const filled = (
    most: number,
    ...orgs: readonly [string, Server][]
  ): { places: AppPlaces<Server>; taken: Place<Server>[] } => {
    const places = new AppPlaces<Server>(most);
    const taken = orgs.map(([orgId, server]) => {
      const { place } = places.take(orgId, 99);
      place.server = server;
      return place;
    });
    return { places, taken };
  };

  it('are as many for an organization as its plan allows, however many are free', () => {
    const { places } = filled(32, ['one', running()], ['one', running()]);
    expect(() => places.take('one', 2)).toThrow(new AppUnavailable('plan'));
    expect(places.take('two', 2).evicted).toBeUndefined();
  });

  it('count servers that are only being started', () => {
    const places = new AppPlaces<Server>();
    places.take('one', 1);
    expect(() => places.take('one', 1)).toThrow(new AppUnavailable('plan'));
  });

  it('go from an own server that nobody uses to another one', () => {
    const [early, late] = [asleep(9_000), asleep(1_000)];
    const { places } = filled(32, ['one', late], ['one', early], ['one', running()]);
    expect(places.take('one', 3).evicted).toBe(early);
    expect(places.countOf('one')).toBe(3);
  });

  it('go from a sleeping server of somebody else before one that runs', () => {
    const sleeper = asleep();
    const { places } = filled(3, ['one', running()], ['one', running()], ['two', sleeper]);
    expect(places.take('three', 5).evicted).toBe(sleeper);
  });

  it('go from the second of whoever has the most to who has none, when all are in use', () => {
    const second = running();
    const { places } = filled(3, ['one', running()], ['two', running()], ['one', second]);
    expect(places.take('three', 5).evicted).toBe(second);
    expect(() => places.take('four', 5)).toThrow(new AppUnavailable('full'));
    expect(() => places.take('three', 5)).toThrow(new AppUnavailable('full'));
  });

  it('are given back once', () => {
    const { places, taken } = filled(2, ['one', running()]);
    places.release(taken[0]!);
    places.release(taken[0]!);
    expect(places.size).toBe(0);
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
          const places = new AppPlaces<Server>(most);
          let held: Place<Server>[] = [];
          for (const { org, kind, which } of steps) {
            const chosen = held[which % Math.max(1, held.length)];
            if (kind === 'take') {
              const before = places.countOf(org);
              try {
                const { place, evicted } = places.take(org, allowed);
                held = [...held.filter(({ server }) => server === undefined || server !== evicted), place];
                place.server = running();
              } catch (error) {
                expect(error).toBeInstanceOf(AppUnavailable);
                if ((error as AppUnavailable).reason === 'plan') expect(before).toBe(allowed);
                else if (before === 0) for (const other of orgs) expect(places.countOf(other)).toBeLessThanOrEqual(1);
              }
            } else if (chosen !== undefined && kind === 'end') {
              places.release(chosen);
              held = held.filter((each) => each !== chosen);
            } else if (chosen?.server !== undefined) {
              Object.assign(chosen.server, kind === 'sleep' ? asleep(which) : running());
            }
            expect(places.size).toBe(held.length);
            expect(places.size).toBeLessThanOrEqual(most);
            for (const each of orgs) expect(places.countOf(each)).toBeLessThanOrEqual(allowed);
          }
        },
      ),
    );
  });
});
