import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startTicks } from '../process-facts.js';

const PREFIX = 'isolated-';

/** Returns the name of the group of all isolated programs with this weight, whichever service started them. */
export function sharedName(weight: number): string {
  return `isolated.${weight}`;
}
/** The kernel needs a moment to release killed processes, and many moments on an overloaded machine. */
const REMOVE_WITHIN_MS = 3_000;
const REMOVE_PAUSE_MS = 2;
const LONGEST_REMOVE_PAUSE_MS = 50;
const MOST_ATTEMPTS = 5;

let lastNumber = 0;

/** Returns a name that identifies the owning service, so that another one can check whether the owner still lives. */
export function nextName(): string {
  return `${PREFIX}${process.pid}-${startTicks(process.pid) ?? '0'}-${++lastNumber}`;
}

/**
 * One directory of a cgroup file system, created by this service. Its files are the kernel's and hold no program's
 * data.
 */
export class CgroupDirectory {
  private entrance: number | null = null;

  private constructor(private readonly path: string) {
    this.openEntrance();
  }

  static make(parent: string, name: string): CgroupDirectory {
    const path = join(parent, name);
    mkdirSync(path);
    return new CgroupDirectory(path);
  }

  /**
   * Creates the directory within one that several services share and whose last user removes it. `prepare` sets the
   * shared one up and may be called again.
   */
  static makeWithin(shared: string, name: string, prepare: () => void): CgroupDirectory {
    for (let attempt = 1; ; attempt++) {
      try {
        mkdirSync(shared, { recursive: true });
        prepare();
        return CgroupDirectory.make(shared, name);
      } catch (error) {
        // Another service removed the shared directory at the same time.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  get procs(): number {
    if (this.entrance === null) throw new Error('The entrance of this cgroup is closed.');
    return this.entrance;
  }

  openEntrance(): void {
    this.entrance ??= openSync(join(this.path, 'cgroup.procs'), 'w');
  }

  closeEntrance(): void {
    if (this.entrance !== null) closeSync(this.entrance);
    this.entrance = null;
  }

  /** Moves a process in from outside. The kernel may take milliseconds, which must not block the event loop. */
  async adopt(pid: number): Promise<void> {
    await writeFile(join(this.path, 'cgroup.procs'), String(pid));
  }

  write(file: string, value: number | string): void {
    writeFileSync(join(this.path, file), String(value));
  }

  /** @returns true when the kernel has the file and accepted the value. */
  tryWrite(file: string, value: number | string): boolean {
    try {
      this.write(file, value);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns zero when the kernel does not have the file. */
  number(file: string): number {
    return Number(readOrEmpty(join(this.path, file)).trim());
  }

  /** Reads one line of a file of `name value` lines. */
  entry(file: string, name: string): number {
    const line = readOrEmpty(join(this.path, file))
      .split('\n')
      .find((each) => each.startsWith(`${name} `));
    return line === undefined ? 0 : Number(line.slice(name.length + 1));
  }

  killMembers(): void {
    killMembersOf(this.path);
  }

  /** Kills the members until none is left. Returns false when some remain. */
  empty(): Promise<boolean> {
    return soon(() => {
      if (membersOf(this.path).length === 0) return true;
      this.killMembers();
      return false;
    });
  }

  async remove(): Promise<void> {
    this.closeEntrance();
    await removeDirectory(this.path);
  }
}

/** Kills and removes the cgroups of services that have ended. */
export async function sweepDirectories(parent: string): Promise<void> {
  const left = namesIn(parent).filter((name) => name.startsWith(PREFIX) && !isOwnersAlive(name));
  await Promise.all(
    left.map(async (name) => {
      await removeDirectory(join(parent, name));
    }),
  );
}

/** Removes a shared directory if no service uses it any longer. */
export function removeShared(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another service uses it, or it does not exist.
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function isOwnersAlive(name: string): boolean {
  const [pid, ticks] = name.slice(PREFIX.length).split('-');
  return startTicks(Number(pid)) === ticks;
}

/** A cgroup can be removed once its last member has left, which takes the kernel a moment after the kill. */
async function removeDirectory(path: string): Promise<void> {
  await soon(() => {
    try {
      rmdirSync(path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    }
    killMembersOf(path);
    return false;
  });
}

/** Retries with growing pauses. Returns false when the attempt did not succeed in time. */
async function soon(attempt: () => boolean): Promise<boolean> {
  const until = performance.now() + REMOVE_WITHIN_MS;
  for (
    let pauseMs = REMOVE_PAUSE_MS;
    performance.now() < until;
    pauseMs = Math.min(pauseMs * 1.2, LONGEST_REMOVE_PAUSE_MS)
  ) {
    if (attempt()) return true;
    await sleep(pauseMs);
  }
  return attempt();
}

function membersOf(path: string): string[] {
  return readOrEmpty(join(path, 'cgroup.procs'))
    .split('\n')
    .filter((line) => line !== '');
}

function killMembersOf(path: string): void {
  for (const pid of membersOf(path)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process ended by itself.
    }
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
