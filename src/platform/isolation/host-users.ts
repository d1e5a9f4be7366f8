import { readFileSync } from 'node:fs';

/** The user a sandbox runs as on the host. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * systemd leaves 65520 to 65533 to nobody (its "Users, Groups, UIDs and GIDs" document), and no distribution gives
 * them out. 65534 is `nobody`, under which other daemons run: its limits and signals must not be ours to spend.
 */
const FIRST = 65_520;
const LAST = 65_533;

/**
 * Lends each sandbox a user of its own, because the kernel counts processes, queued signals and keys per user. Only
 * root can change user; otherwise sandboxes run as the service's own, which is not root either.
 */
export class HostUsers {
  private readonly free: HostUser[] = [];

  constructor(private readonly serviceUid: number) {
    const count = LAST - FIRST + 1;
    for (let step = 0; step < count; step++) {
      // Not everyone from the same end: services on one machine do not know of each other.
      const uid = FIRST + ((process.pid + step) % count);
      this.free.push({ uid, gid: uid });
    }
  }

  get canSwitch(): boolean {
    return this.serviceUid === 0;
  }

  /** @throws {Error} when every user is lent out: at most 14 sandboxes live at a time. */
  lend(): HostUser {
    const user = this.free.pop();
    if (user === undefined) throw new Error(`All ${LAST - FIRST + 1} users for sandboxes are taken.`);
    return user;
  }

  takeBack(user: HostUser): void {
    // To the far end, so that a user rests as long as possible before its next sandbox.
    this.free.unshift(user);
  }

  /** In a container only some users exist; null when those we need do. */
  static missing(uidMap = readFileSync('/proc/self/uid_map', 'utf8')): string | null {
    const mapped = uidMap.trim().split('\n').some((line) => {
      const [inside, , count] = line.trim().split(/\s+/).map(Number);
      return inside! <= FIRST && inside! + count! > LAST;
    });
    return mapped ? null : `the user ids ${FIRST} to ${LAST} inside this container`;
  }
}
