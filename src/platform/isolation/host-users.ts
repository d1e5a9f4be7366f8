import { readFileSync } from 'node:fs';

/** The user a sandbox runs as on the host. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

interface Range {
  readonly first: number;
  readonly count: number;
}

/**
 * systemd leaves 65520 to 65533 to nobody (its "Users, Groups, UIDs and GIDs" document), and no distribution gives
 * them out. 65534 is `nobody`, under which other daemons run: its limits and signals must not be ours to spend.
 */
const ALWAYS: Range = { first: 65_520, count: 14 };

/** The same document leaves everything from 1879048192 on unused; a container has such users only if it maps all. */
const WHERE_MAPPED: Range = { first: 1_879_048_192, count: 242 };

/**
 * Lends each sandbox a user of its own, because the kernel counts processes, queued signals and keys per user. Only
 * root can change user; otherwise sandboxes run as the service's own, which is not root either.
 */
export class HostUsers {
  /** How many there are. */
  readonly count: number;

  private readonly free: HostUser[];

  constructor(
    private readonly serviceUid: number,
    uidMap = readUidMap(),
  ) {
    const ranges = [ALWAYS, WHERE_MAPPED].filter((range) => isMapped(range, uidMap));
    const users = ranges.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, step) => ({ uid: first + step, gid: first + step })),
    );
    this.count = users.length;
    // Not everyone from the same end: services on one machine do not know of each other.
    const start = process.pid % Math.max(1, users.length);
    this.free = [...users.slice(start), ...users.slice(0, start)];
  }

  get canSwitch(): boolean {
    return this.serviceUid === 0;
  }

  /** @throws {Error} when every user is lent out. */
  lend(): HostUser {
    const user = this.free.pop();
    if (user === undefined) throw new Error(`All ${this.count} users for isolated programs are taken.`);
    return user;
  }

  takeBack(user: HostUser): void {
    // To the far end, so that a user rests as long as possible before its next sandbox.
    this.free.unshift(user);
  }

  /** In a container only some users exist; null when those we need do. */
  static missing(uidMap = readUidMap()): string | null {
    return isMapped(ALWAYS, uidMap)
      ? null
      : `the user ids ${ALWAYS.first} to ${ALWAYS.first + ALWAYS.count - 1} inside this container`;
  }
}

function isMapped({ first, count }: Range, uidMap: string): boolean {
  return uidMap
    .trim()
    .split('\n')
    .some((line) => {
      const [inside, , length] = line.trim().split(/\s+/).map(Number);
      return inside! <= first && inside! + length! >= first + count;
    });
}

/** Empty where there are no user namespaces, and no sandboxes. */
function readUidMap(): string {
  try {
    return readFileSync('/proc/self/uid_map', 'utf8');
  } catch {
    return '';
  }
}
