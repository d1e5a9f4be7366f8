import { type ChildProcess } from 'node:child_process';
import { type Duplex, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Contained } from './contained.js';
import { INFO_DESCRIPTOR, SECCOMP_DESCRIPTOR } from './bubblewrap.js';
import { isDead, startTicks } from './process-facts.js';
import { type ResourceGroup } from './resource-group.js';
import { LaunchInfo } from './launch-info.js';
import { type AttachedNetwork } from './network/attached-network.js';

const GO = Buffer.from('\n');
const KILL_INTERVAL_MS = 10;
const EMPTY_PAUSE_MS = 2;
export interface ContainedParts {
  readonly child: ChildProcess;
  readonly group: ResourceGroup;
  readonly seccomp: Buffer;
  /** The network to prepare before the program starts; null when it has none outside of its isolation. */
  readonly network: AttachedNetwork | null;
  /** Called when pid 1 inside is known, by its process id on the host. */
  readonly onInit: (initPid: number) => void;
  /** Called once, when nothing of the isolated program is left. */
  readonly onGone: () => void;
}

/** bubblewrap and everything inside of it. It starts only when it is watched, is killed as one, and ends as one. */
export class ContainedChild implements Contained {
  /** The exit status of bubblewrap; null when it was killed. */
  readonly exited: Promise<number | null>;

  readonly info: LaunchInfo;
  private initTicks: string | null = null;
  private killer: NodeJS.Timeout | null = null;
  private over = false;
  private failure = '';

  constructor(private readonly parts: ContainedParts) {
    const { child, group, seccomp } = parts;
    this.info = new LaunchInfo(this.pipe(INFO_DESCRIPTOR), (initPid) => {
      this.initTicks = startTicks(initPid);
      group.contains(initPid);
      parts.onInit(initPid);
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

  /** Why the host did not let the program start, for the log; empty when it did. */
  get refusal(): string {
    return this.failure;
  }

  get group(): ResourceGroup {
    return this.parts.group;
  }

  pipe(descriptor: number): Duplex {
    return this.parts.child.stdio[descriptor] as Duplex;
  }

  /** The program may close its end at any time, which is not an error of the service. */
  takesNoFaultFrom(...descriptors: readonly number[]): void {
    for (const descriptor of descriptors) this.pipe(descriptor).on('error', () => undefined);
  }

  /** Kills everything, repeatedly until it is gone, because bubblewrap may have been creating a process. */
  kill(): void {
    if (this.over || this.killer !== null) return;
    this.killNow();
    this.killer = setInterval(() => {
      this.killNow();
    }, KILL_INTERVAL_MS);
  }

  /**
   * Resolves when no process is left inside; call it after {@link exited}. bubblewrap ends when its program does, and
   * the processes that the program started are killed just after it.
   */
  async empty(): Promise<void> {
    if (this.initTicks === null) return;
    const { initPid } = this.info;
    for (let round = 0; startTicks(initPid) === this.initTicks && !isDead(initPid); round++) {
      if (round > 0) sendKill(initPid);
      await sleep(EMPTY_PAUSE_MS);
    }
  }

  closePipes(): void {
    if (this.killer !== null) clearInterval(this.killer);
    for (const stream of this.parts.child.stdio) stream?.destroy();
  }

  /** Removes the network and the resource group. It must be called last. */
  async cleanUp(): Promise<void> {
    await this.parts.network?.close();
    await this.parts.group.remove();
    this.parts.onGone();
  }

  /**
   * The line lets the launcher continue; bubblewrap reads the rest. A launcher that cannot be limited never gets it.
   */
  private async letGo(seccomp: Buffer): Promise<void> {
    const { child, group, network } = this.parts;
    const launcher = this.pipe(SECCOMP_DESCRIPTOR);
    try {
      if (child.pid !== undefined) await group.enter(child.pid);
      if (network !== null && child.pid !== undefined) {
        launcher.write(GO);
        await answerOf(launcher);
        await network.attach(child.pid, group);
      }
      launcher.end(Buffer.concat([GO, seccomp]));
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.kill();
    }
  }

  private killNow(): void {
    this.parts.group.kill();
    const { pid } = this.parts.child;
    if (pid !== undefined) sendKill(-pid);
    // The init inside leaves bubblewrap's process group. Its namespace dies with it.
    this.info.whenKnown((initPid) => {
      sendKill(initPid);
    });
  }
}

/** Resolves when nothing can write to the stream any longer. */
export function endOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve);
    // A reset ends the stream as well; the outcome comes from the exit status.
    stream.on('error', () => {
      resolve();
    });
  });
}

/** Resolves when the launcher has answered. @throws {Error} when it has ended instead. */
function answerOf(launcher: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    launcher.once('data', () => {
      resolve();
    });
    launcher.once('close', () => {
      reject(new Error('the launcher could not create a network'));
    });
  });
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
