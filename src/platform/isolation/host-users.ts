import { readFileSync } from 'node:fs';

/** The host user that an isolated program runs as. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

/** One of the users, for an attempt that leaves nothing behind. */
export const TRIAL_USER: HostUser = { uid: 65_520, gid: 65_520 };

/** Consecutive user ids, which are group ids as well. */
export interface IdRange {
  readonly first: number;
  readonly count: number;
}

/**
 * systemd does not assign 65520 to 65533 (see its document "Users, Groups, UIDs and GIDs"), and no distribution does.
 * 65534 is `nobody`, which other daemons run as: its limits and signals must not be shared.
 */
const ALWAYS: IdRange = { first: 65_520, count: 14 };

/** The last of them is never lent, because its files are kept. */
const KEPT_USER: HostUser = { uid: 65_533, gid: 65_533 };
const LENT_ALWAYS: IdRange = { ...ALWAYS, count: ALWAYS.count - 1 };

/**
 * The same document leaves everything from 1879048192 on unused. A container has such users only if it maps all ids.
 */
const WHERE_MAPPED: IdRange = { first: 1_879_048_192, count: 242 };

/** What root needs to give a program and its files to another user, and to end it, by their numbers in the kernel. */
const CAPABILITIES = { CHOWN: 0, KILL: 5, SETGID: 6, SETUID: 7 } as const;

/**
 * Lends each isolated program a user of its own, because the kernel counts processes, queued signals and keys per user.
 * Only root can change users; otherwise programs run as the service's own user, which is not root either.
 */
export class HostUsers {
  /** The number of users that can be lent. */
  readonly count: number;

  /** The user for programs whose files outlive the service. It is always the same, and they share it. */
  readonly kept = KEPT_USER;

  /** Everything that can be lent. */
  readonly ranges: readonly IdRange[];

  private readonly free: HostUser[];

  constructor(
    private readonly serviceUid: number,
    uidMap = readUidMap(),
  ) {
    this.ranges = [LENT_ALWAYS, WHERE_MAPPED].filter((range) => isMapped(range, uidMap));
    const users = this.ranges.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, step) => ({ uid: first + step, gid: first + step })),
    );
    this.count = users.length;
    // Services on one machine do not coordinate, so each starts at a different user.
    const start = process.pid % Math.max(1, users.length);
    this.free = [...users.slice(start), ...users.slice(0, start)];
  }

  get canSwitch(): boolean {
    return this.serviceUid === 0;
  }

  /** @throws {Error} when every user is lent. */
  lend(): HostUser {
    const user = this.free.pop();
    if (user === undefined) throw new Error(`All ${this.count} users for isolated programs are taken.`);
    return user;
  }

  takeBack(user: HostUser): void {
    // The user goes to the far end, so that it rests as long as possible before its next program.
    this.free.unshift(user);
  }

  /**
   * Returns what root lacks in order to lend users, because a container has only some of them and of its capabilities;
   * null when it has what is needed.
   */
  static missing(uidMap = readUidMap(), capabilities = readCapabilities()): string | null {
    const lacking = Object.entries(CAPABILITIES).flatMap(([name, bit]) =>
      (capabilities >> BigInt(bit)) & 1n ? [] : [name],
    );
    if (lacking.length > 0) {
      const options = lacking.map((name) => `--cap-add ${name}`).join(' ');
      const names = lacking.join(', ');
      return `the capabilities ${names} of root, or a user other than root (in Docker: ${options}, or --user)`;
    }
    return isMapped(ALWAYS, uidMap)
      ? null
      : `the user ids ${ALWAYS.first} to ${ALWAYS.first + ALWAYS.count - 1} inside this container`;
  }
}

function isMapped({ first, count }: IdRange, uidMap: string): boolean {
  return uidMap
    .trim()
    .split('\n')
    .some((line) => {
      const [inside, , length] = line.trim().split(/\s+/).map(Number);
      return inside! <= first && inside! + length! >= first + count;
    });
}

/** Returns an empty string where there are no user namespaces, and so no isolation. */
function readUidMap(): string {
  try {
    return readFileSync('/proc/self/uid_map', 'utf8');
  } catch {
    return '';
  }
}

/** Returns all of them where the kernel does not say. */
function readCapabilities(): bigint {
  try {
    return BigInt(`0x${/^CapEff:\s+([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]!}`);
  } catch {
    return -1n;
  }
}
