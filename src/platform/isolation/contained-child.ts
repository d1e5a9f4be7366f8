import { type ChildProcess } from 'node:child_process';
import { type Duplex, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { INFO_DESCRIPTOR, SECCOMP_DESCRIPTOR } from './bubblewrap.js';
import { isDead, startTicks } from './process-facts.js';
import { type ResourceGroup } from './resource-group.js';
import { LaunchInfo } from './launch-info.js';

const GO = Buffer.from('\n');
const KILL_INTERVAL_MS = 10;
const EMPTY_PAUSE_MS = 2;
/** After the last process is gone the pipes end by themselves; this is only so that nothing can hold up the answer. */
const PIPES_GRACE_MS = 500;

export interface ContainedParts {
  readonly child: ChildProcess;
  readonly group: ResourceGroup;
  readonly seccomp: Buffer;
  /** Called once, when nothing of the sandbox is left. */
  readonly onGone: () => void;
}

/** bubblewrap and everything inside of it: told to go on once somebody watches, killed as one, and gone as one. */
export class ContainedChild {
  /** The exit status of bubblewrap, null when it was killed. */
  readonly exited: Promise<number | null>;

  readonly info: LaunchInfo;
  private initTicks: string | null = null;
  private killer: NodeJS.Timeout | null = null;
  private over = false;

  constructor(private readonly parts: ContainedParts) {
    const { child, group, seccomp } = parts;
    this.info = new LaunchInfo(this.pipe(INFO_DESCRIPTOR), (initPid) => {
      this.initTicks = startTicks(initPid);
      group.contains(initPid);
    });
    this.exited = new Promise((resolve) => {
      child.once('exit', resolve);
      child.once('error', () => {
        resolve(null);
      });
    });
    void this.exited.then(() => {
      this.over = true;
    });
    this.takesNoFaultFrom(SECCOMP_DESCRIPTOR);
    void this.letGo(seccomp);
  }

  get hasExited(): boolean {
    return this.over;
  }

  get group(): ResourceGroup {
    return this.parts.group;
  }

  pipe(descriptor: number): Duplex {
    return this.parts.child.stdio[descriptor] as Duplex;
  }

  /** The program may close its end at any time, which is not our error. */
  takesNoFaultFrom(...descriptors: readonly number[]): void {
    for (const descriptor of descriptors) this.pipe(descriptor).on('error', () => undefined);
  }

  /** Kills everything, and again until it is gone: bubblewrap may have been about to make a process. */
  kill(): void {
    if (this.over || this.killer !== null) return;
    this.killNow();
    this.killer = setInterval(() => {
      this.killNow();
    }, KILL_INTERVAL_MS);
  }

  /**
   * After {@link exited}: settles when no process is left inside. bubblewrap ends when it hears of its program's end,
   * and those that the program started are killed just after it.
   */
  async empty(): Promise<void> {
    if (this.initTicks === null) return;
    const { initPid } = this.info;
    for (let round = 0; startTicks(initPid) === this.initTicks && !isDead(initPid); round++) {
      if (round > 0) sendKill(initPid);
      await sleep(EMPTY_PAUSE_MS);
    }
  }

  /** After {@link exited}: waits a moment for what is still in the pipes. */
  async endLines(outputs: readonly Promise<void>[]): Promise<void> {
    const grace = new AbortController();
    await Promise.race([
      Promise.all(outputs),
      sleep(PIPES_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined),
    ]);
    grace.abort();
  }

  closePipes(): void {
    if (this.killer !== null) clearInterval(this.killer);
    for (const stream of this.parts.child.stdio) stream?.destroy();
  }

  /** Takes away what held it together; to be called last. */
  async cleanUp(): Promise<void> {
    await this.parts.group.remove();
    this.parts.onGone();
  }

  /** The line lets the launcher go on; bubblewrap reads the rest. One that cannot be bounded does not go on. */
  private async letGo(seccomp: Buffer): Promise<void> {
    const { child, group } = this.parts;
    try {
      if (child.pid !== undefined) await group.enter(child.pid);
      this.pipe(SECCOMP_DESCRIPTOR).end(Buffer.concat([GO, seccomp]));
    } catch {
      this.kill();
    }
  }

  private killNow(): void {
    this.parts.group.kill();
    const { pid } = this.parts.child;
    if (pid !== undefined) sendKill(-pid);
    // The init inside leaves bubblewrap's process group; with it dies its namespace.
    this.info.whenKnown((initPid) => {
      sendKill(initPid);
    });
  }
}

/** Settles when no one can write any more. */
export function endOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve);
    // A reset is an end too; the outcome comes from the exit status.
    stream.on('error', () => {
      resolve();
    });
  });
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
