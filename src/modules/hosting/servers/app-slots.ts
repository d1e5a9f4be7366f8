import { AppUnavailable } from '../hosting.errors.js';

/** The number of servers that one process keeps, frozen or not. */
const MAX_SLOTS = 32;

/** The properties of a server that decide whether it is evicted. */
export interface Occupant {
  /** True when no request waits for an answer. */
  readonly isIdle: boolean;
  readonly isFrozen: boolean;
  readonly idleMs: number;
}

/** The right to run one server. It is held from before the server starts until it ends or is evicted. */
export interface Slot<Server extends Occupant> {
  readonly orgId: string;
  /** Undefined while the server starts; it cannot be evicted then. */
  server: Server | undefined;
}

/**
 * The slots for servers in this process. Each organization has as many as its plan allows. When all are taken, servers
 * are evicted in a fair order. It decides synchronously, so that two concurrent callers never get the same slot.
 */
export class AppSlots<Server extends Occupant> {
  private readonly slots = new Set<Slot<Server>>();

  constructor(private readonly most = MAX_SLOTS) {}

  get size(): number {
    return this.slots.size;
  }

  countOf(orgId: string): number {
    return this.of(orgId).length;
  }

  /**
   * Takes a slot for one more server of an organization. An evicted server loses its slot at once, and the caller must
   * end it.
   *
   * @throws {AppUnavailable} `plan`: the organization uses all that its plan allows; `full`: no server can
   * be evicted for it.
   */
  take(orgId: string, allowed: number): { readonly slot: Slot<Server>; readonly evicted: Server | undefined } {
    const victim = this.victimFor(orgId, allowed);
    if (victim !== undefined) this.slots.delete(victim);
    const slot: Slot<Server> = { orgId, server: undefined };
    this.slots.add(slot);
    return { slot, evicted: victim?.server };
  }

  /** Does nothing when the slot was released or evicted before. */
  release(slot: Slot<Server>): void {
    this.slots.delete(slot);
  }

  private victimFor(orgId: string, allowed: number): Slot<Server> | undefined {
    const own = this.of(orgId);
    if (own.length >= allowed) return longestIdle(own) ?? refuse('plan');
    if (this.slots.size < this.most) return undefined;
    return this.sleeper() ?? this.busyOfTheLargest(own.length) ?? longestIdle(own) ?? refuse('full');
  }

  /**
   * Frozen servers come first, then those of the organization with the most slots, then the one that is idle for
   * longest.
   */
  private sleeper(): Slot<Server> | undefined {
    const counts = this.counts();
    const [first] = idleOnes([...this.slots]).sort(
      (one, other) =>
        Number(other.server.isFrozen) - Number(one.server.isFrozen) ||
        counts.get(other.orgId)! - counts.get(one.orgId)! ||
        other.server.idleMs - one.server.idleMs,
    );
    return first;
  }

  /** A busy server is evicted only for an organization that would still have fewer servers than its owner. */
  private busyOfTheLargest(ownCount: number): Slot<Server> | undefined {
    const [largest, count] = [...this.counts()].sort(([, one], [, other]) => other - one)[0] ?? ['', 0];
    if (count < ownCount + 2) return undefined;
    // The newest slot is chosen, because it was taken while others already waited.
    return this.of(largest)
      .filter(({ server }) => server !== undefined)
      .at(-1);
  }

  private counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { orgId } of this.slots) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
    return counts;
  }

  private of(orgId: string): Slot<Server>[] {
    return [...this.slots].filter((slot) => slot.orgId === orgId);
  }
}

type Occupied<Server extends Occupant> = Slot<Server> & { server: Server };

function idleOnes<Server extends Occupant>(slots: readonly Slot<Server>[]): Occupied<Server>[] {
  return slots.filter((slot): slot is Occupied<Server> => slot.server?.isIdle === true);
}

function longestIdle<Server extends Occupant>(slots: readonly Slot<Server>[]): Slot<Server> | undefined {
  return idleOnes(slots).sort((one, other) => other.server.idleMs - one.server.idleMs)[0];
}

function refuse(reason: 'plan' | 'full'): never {
  throw new AppUnavailable(reason);
}
