import { type Readable, type Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { endLines } from './contained.js';
import { ContainedChild, type ContainedParts, endOf } from './contained-child.js';
import { IsolationDidNotStart } from './isolation-spec.js';
import { type LaunchEnd, type LaunchEndCause, type LaunchSpec } from './launch-spec.js';
import { LaunchWatch } from './launch-watch.js';
import { LineOutput } from './line-output.js';
import { type AttachedNetwork } from './network/attached-network.js';
import { isStopped, sampleTree, sampleTreeOfLate, startTicks } from './process-facts.js';

/** bubblewrap reads its options from this descriptor, so that no command line shows them. */
export const OPTIONS_DESCRIPTOR = 3;

/** A process can do little between two samples; a program that forks all the time takes a few rounds. */
const FREEZE_ROUNDS = 50;
const FREEZE_PAUSE_MS = 2;
/** How often a frozen program is looked at: a timer of the kernel can send its process the signal that continues it. */
const GUARD_INTERVAL_MS = 250;
/** What is about to die may look awake. What wakes up again does so on purpose. */
const MAX_WAKES = 2;

export interface ProgramParts extends ContainedParts {
  readonly spec: LaunchSpec;
  readonly options: Buffer;
}

/** A program, and those that it started, for as long as it runs. `Isolation.launch` creates it. */
export class IsolatedProgram {
  /** Resolves when nothing runs inside any longer and all of its output has been delivered. It never rejects. */
  readonly exited: Promise<LaunchEnd>;

  /** Resolves when nothing of it is left on this machine; what was lent to it can then be reused. */
  readonly gone: Promise<void>;

  private readonly inside: ContainedChild;
  private readonly lines: LineOutput;
  private readonly rawEnd: Promise<void>;
  private readonly watch: LaunchWatch;
  private cause: LaunchEndCause = 'exit';
  private said = '';
  /**
   * The processes at the time of the freeze: to search for them again takes milliseconds on a machine with many
   * processes.
   */
  private frozen: readonly FrozenProcess[] | undefined;
  private guard: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ProgramParts) {
    const { spec, group } = parts;
    this.inside = new ContainedChild(parts);
    this.lines = new LineOutput(spec.output);
    this.lines.read('stderr', this.inside.pipe(2));
    this.inside.pipe(2).on('data', (chunk: Buffer) => {
      if (this.said.length < 2_000) this.said += chunk.toString('utf8');
    });
    if (spec.output.rawStdout !== true) this.lines.read('stdout', this.inside.pipe(1));
    this.rawEnd = spec.output.rawStdout === true ? endOf(this.inside.pipe(1)) : Promise.resolve();

    this.inside.takesNoFaultFrom(0, OPTIONS_DESCRIPTOR);
    this.inside.pipe(OPTIONS_DESCRIPTOR).end(parts.options);
    this.inside.pipe(0).write(spec.stdin ?? Buffer.alloc(0));
    if (spec.sendsMore !== true) this.inside.pipe(0).end();
    this.watch = new LaunchWatch(group, spec.limits, {
      onBreach: (cause) => {
        this.end(cause);
      },
      onHold: (isHeld) => {
        this.hold(isHeld);
      },
    });
    void parts.network?.lost.then(() => {
      this.end('network');
    });
    this.exited = this.inside.exited.then((status) => this.describe(status));
    this.gone = this.exited.then(() => this.inside.cleanUp());
  }

  /** The process id, on the host, of pid 1 inside. */
  get initPid(): number {
    return this.inside.info.initPid;
  }

  /** False as soon as its end is noticed. */
  get isAlive(): boolean {
    return !this.inside.hasExited;
  }

  /** True when all of it was stopped by {@link freeze}. */
  get isFrozen(): boolean {
    return this.frozen !== undefined;
  }

  /** User and system time of everything inside so far. */
  get cpuMs(): number {
    return this.parts.group.usage().cpuMs;
  }

  /** The most memory that everything inside has used so far. */
  get memoryPeakBytes(): number {
    return this.parts.group.usage().memoryPeakBytes;
  }

  /** True when the kernel has ended something inside because memory ran out. The rest may go on. */
  get ranOutOfMemory(): boolean {
    return this.isAlive && this.parts.group.ranOutOfMemory();
  }

  /** The network that leads out of the machine; null when it has none. */
  get network(): AttachedNetwork | null {
    return this.parts.network;
  }

  /**
   * Standard output, with `rawStdout`. It ends when nothing can write any longer. Slow reading slows the program down.
   */
  get stdout(): Readable {
    return this.inside.pipe(1);
  }

  /** Standard input, for a program that reads more than fits into memory; requires `sendsMore`. It must be ended. */
  get stdin(): Writable {
    return this.inside.pipe(0);
  }

  /**
   * Sends the rest of standard input and then end of file; requires `sendsMore`. What the program no longer reads is
   * lost.
   */
  send(bytes: Buffer): void {
    this.inside.pipe(0).end(bytes);
  }

  /**
   * Resolves when bubblewrap has begun to set up the isolation. A later failure, such as a missing mount, ends the
   * program with the cause `did_not_start`.
   * @throws {IsolationDidNotStart} when it ended, or took longer than `timeoutMs`, before that.
   */
  async started(timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    const outcome = await Promise.race([
      this.inside.info.known.then(() => 'started' as const),
      this.inside.exited.then(() => 'exited' as const),
      sleep(timeoutMs, 'late' as const, { signal: timeout.signal, ref: false }).catch(() => 'late' as const),
    ]);
    timeout.abort();
    if (outcome === 'started') return;

    await this.destroy();
    throw new IsolationDidNotStart(
      outcome === 'late'
        ? `not ready after ${timeoutMs} ms. ${this.said}`
        : [this.said.trim(), this.inside.refusal].filter((text) => text !== '').join(' '),
    );
  }

  /**
   * Stops everything inside. It then uses memory, but no processor time: what continues by itself is stopped again, and
   * then ended.
   */
  async freeze(): Promise<void> {
    for (let round = 0; round < FREEZE_ROUNDS && this.isAlive; round++) {
      const { pids } = sampleTree(this.initPid);
      const running = pids.filter((pid) => !isStopped(pid));
      if (running.length === 0) {
        this.frozen = pids.map((pid) => ({ pid, ticks: startTicks(pid) }));
        this.watch.pause();
        this.network?.pause();
        this.keepFrozen();
        return;
      }
      for (const pid of running) send(pid, 'SIGSTOP');
      await sleep(FREEZE_PAUSE_MS);
    }
  }

  /** Continues a frozen program. */
  thaw(): void {
    clearInterval(this.guard);
    if (!this.isAlive) return;
    this.watch.resume();
    this.network?.resume();
    const { frozen } = this;
    this.frozen = undefined;
    if (frozen === undefined) {
      for (const pid of sampleTree(this.initPid).pids) send(pid, 'SIGCONT');
      return;
    }
    for (const { pid, ticks } of frozen) {
      // The kernel may have killed a process because memory ran out and given its number to another one.
      if (startTicks(pid) === ticks) send(pid, 'SIGCONT');
    }
  }

  private keepFrozen(): void {
    let wakes = 0;
    clearInterval(this.guard);
    this.guard = setInterval(() => {
      if (this.frozen?.every(({ pid, ticks }) => isStopped(pid) || startTicks(pid) !== ticks) !== false) return;
      wakes += 1;
      if (wakes >= MAX_WAKES) this.end('destroyed');
      // It may have started others meanwhile.
      else for (const pid of sampleTree(this.initPid).pids) send(pid, 'SIGSTOP');
    }, GUARD_INTERVAL_MS);
    this.guard.unref();
  }

  /** Stops the program for a moment, where the kernel cannot limit its share of the processors. */
  private hold(isHeld: boolean): void {
    if (this.frozen !== undefined || !this.isAlive) return;
    // The reading is that of the watch, some milliseconds old. A number may belong to another process since.
    for (const { pid, ticks } of sampleTreeOfLate(this.initPid).members)
      if (startTicks(pid) === ticks) send(pid, isHeld ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Ends the program, whatever it is doing. Resolves when nothing of it is left. */
  async destroy(): Promise<void> {
    this.end('destroyed');
    if (this.parts.spec.output.rawStdout === true) this.stdout.destroy();
    await this.gone;
  }

  /** Only the first cause is recorded; later ones are consequences. */
  private end(cause: LaunchEndCause): void {
    if (this.cause !== 'exit' || this.inside.hasExited) return;
    this.cause = cause;
    this.inside.kill();
  }

  private async describe(exitStatus: number | null): Promise<LaunchEnd> {
    this.watch.stop();
    clearInterval(this.guard);
    await this.inside.empty();
    const { group } = this.parts;
    // The values are read before the cgroup, which holds them, is removed.
    const { cpuMs, memoryPeakBytes } = group.usage();
    // Memory that runs out may end the carrier of the network first.
    const killedForMemory = (this.cause === 'exit' || this.cause === 'network') && group.ranOutOfMemory();
    this.lines.finish();
    await endLines([...this.lines.ended, this.inside.info.ended]);
    // The reader decides when it has read everything; nothing more can be written.
    await this.rawEnd;
    this.inside.closePipes();
    const cause = this.finalCause(killedForMemory, exitStatus);
    return {
      cause,
      exitStatus: cause === 'exit' ? exitStatus : null,
      cpuMs,
      memoryPeakBytes,
      said: cause === 'did_not_start' ? this.said.trim() : '',
    };
  }

  private finalCause(killedForMemory: boolean, exitStatus: number | null): LaunchEndCause {
    if (killedForMemory) return 'memory';
    // bubblewrap also ends with a status when it fails itself.
    return this.cause === 'exit' && exitStatus !== null && !this.inside.info.programRan ? 'did_not_start' : this.cause;
  }
}

interface FrozenProcess {
  readonly pid: number;
  /** The start time, which tells it from a later process with the same number. */
  readonly ticks: string | null;
}

function send(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended since.
  }
}
