import { AppUnavailable } from '../hosting.errors.js';

/** As many servers as one process keeps, asleep or not. */
const MAX_PLACES = 32;

/** A server that runs in a place, as far as it matters to who may have the place next. */
export interface Occupant {
  /** Nobody waits for an answer of it. */
  readonly isIdle: boolean;
  readonly isFrozen: boolean;
  readonly idleMs: number;
}

/** The right to run one server. It is held from before the server is started until it has ended, or has to give way. */
export interface Place<Server extends Occupant> {
  readonly orgId: string;
  /** Undefined while it is being started, when it cannot be made to give way. */
  server: Server | undefined;
}

/**
 * The places for servers in this process: each organization has as many as its plan allows, and when all are taken they
 * go round. Decides without waiting for anything, so that two who ask at once never get the same place.
 */
export class AppPlaces<Server extends Occupant> {
  private readonly places = new Set<Place<Server>>();

  constructor(private readonly most = MAX_PLACES) {}

  get size(): number {
    return this.places.size;
  }

  countOf(orgId: string): number {
    return this.of(orgId).length;
  }

  /**
   * Takes a place for one more server of an organization. Whoever has to give way for it has lost its own at once, and
   * is to be ended by the caller.
   *
   * @throws {AppUnavailable} `plan`: the organization uses all that its plan allows; `full`: nobody has to give way to
   * it.
   */
  take(orgId: string, allowed: number): { readonly place: Place<Server>; readonly evicted: Server | undefined } {
    const victim = this.victimFor(orgId, allowed);
    if (victim !== undefined) this.places.delete(victim);
    const place: Place<Server> = { orgId, server: undefined };
    this.places.add(place);
    return { place, evicted: victim?.server };
  }

  /** Called again, or for one that had to give way, it does nothing. */
  release(place: Place<Server>): void {
    this.places.delete(place);
  }

  private victimFor(orgId: string, allowed: number): Place<Server> | undefined {
    const own = this.of(orgId);
    if (own.length >= allowed) return longestIdle(own) ?? refuse('plan');
    if (this.places.size < this.most) return undefined;
    return this.sleeper() ?? this.busyOfTheLargest(own.length) ?? longestIdle(own) ?? refuse('full');
  }

  /**
   * Sleeping ones first, then those of the organization with the most places, then the one that was idle for longest.
   */
  private sleeper(): Place<Server> | undefined {
    const counts = this.counts();
    const [first] = idleOnes([...this.places]).sort(
      (one, other) =>
        Number(other.server.isFrozen) - Number(one.server.isFrozen) ||
        counts.get(other.orgId)! - counts.get(one.orgId)! ||
        other.server.idleMs - one.server.idleMs,
    );
    return first;
  }

  /** One that is in use gives way only to an organization that would still have fewer than the one that loses it. */
  private busyOfTheLargest(ownCount: number): Place<Server> | undefined {
    const [largest, count] = [...this.counts()].sort(([, one], [, other]) => other - one)[0] ?? ['', 0];
    if (count < ownCount + 2) return undefined;
    // The last that was taken: it was taken while others already waited.
    return this.of(largest)
      .filter(({ server }) => server !== undefined)
      .at(-1);
  }

  private counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { orgId } of this.places) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
    return counts;
  }

  private of(orgId: string): Place<Server>[] {
    return [...this.places].filter((place) => place.orgId === orgId);
  }
}

type Occupied<Server extends Occupant> = Place<Server> & { server: Server };

function idleOnes<Server extends Occupant>(places: readonly Place<Server>[]): Occupied<Server>[] {
  return places.filter((place): place is Occupied<Server> => place.server?.isIdle === true);
}

function longestIdle<Server extends Occupant>(places: readonly Place<Server>[]): Place<Server> | undefined {
  return idleOnes(places).sort((one, other) => other.server.idleMs - one.server.idleMs)[0];
}

function refuse(reason: 'plan' | 'full'): never {
  throw new AppUnavailable(reason);
}
