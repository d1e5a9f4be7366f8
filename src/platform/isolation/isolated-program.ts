import { type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { ContainedChild, type ContainedParts, endOf } from './contained-child.js';
import { IsolationDidNotStart } from './isolation-spec.js';
import { type LaunchEnd, type LaunchEndCause, type LaunchSpec } from './launch-spec.js';
import { LaunchWatch } from './launch-watch.js';
import { LineOutput } from './line-output.js';
import { isStopped, sampleTree, startTicks } from './process-facts.js';

/** bubblewrap reads its options here, so that no command line shows them. */
export const OPTIONS_DESCRIPTOR = 3;

/**
 * What a process does between two looks at all of them is little; a program that forks all the time takes a few rounds.
 */
const FREEZE_ROUNDS = 50;
const FREEZE_PAUSE_MS = 2;

export interface ProgramParts extends ContainedParts {
  readonly spec: LaunchSpec;
  readonly options: Buffer;
}

/** A program, and those that it started, for as long as it runs. Made by `Isolation.launch`. */
export class IsolatedProgram {
  /** Settles when nothing inside runs any more and all that it wrote has been handed on. Never rejects. */
  readonly exited: Promise<LaunchEnd>;

  /** Settles when nothing is left of it on this machine either; what was lent to it can then be taken back. */
  readonly gone: Promise<void>;

  private readonly inside: ContainedChild;
  private readonly lines: LineOutput;
  private readonly rawEnd: Promise<void>;
  private readonly watch: LaunchWatch;
  private cause: LaunchEndCause = 'exit';
  private said = '';
  /**
   * All there is of it while it is frozen: to look for them anew takes milliseconds on a machine with many processes.
   */
  private frozen: readonly FrozenProcess[] | undefined;

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
    this.exited = this.inside.exited.then((status) => this.describe(status));
    this.gone = this.exited.then(() => this.inside.cleanUp());
  }

  /** The process id, on the host, of pid 1 inside. */
  get initPid(): number {
    return this.inside.info.initPid;
  }

  /** False from the moment its end is noticed. */
  get isAlive(): boolean {
    return !this.inside.hasExited;
  }

  /**
   * What it writes, with `rawStdout`; ends when nothing can be written any more. Reading slowly holds the program up.
   */
  get stdout(): Readable {
    return this.inside.pipe(1);
  }

  /** With `sendsMore`: the rest of its standard input, then end of file. What it does not read any more is lost. */
  send(bytes: Buffer): void {
    this.inside.pipe(0).end(bytes);
  }

  /**
   * Settles when its sandbox is being made. What then still goes wrong, such as a mount that is missing, ends it with
   * the cause `did_not_start`.
   *
   * @throws {IsolationDidNotStart} when it ended, or took longer than `timeoutMs`, before it was.
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
      outcome === 'late' ? `not ready after ${timeoutMs} ms. ${this.said}` : this.said.trim(),
    );
  }

  /** Stops everything inside where it stands; it then takes memory, but no processor time. */
  async freeze(): Promise<void> {
    for (let round = 0; round < FREEZE_ROUNDS && this.isAlive; round++) {
      const { pids } = sampleTree(this.initPid);
      const running = pids.filter((pid) => !isStopped(pid));
      if (running.length === 0) {
        this.frozen = pids.map((pid) => ({ pid, ticks: startTicks(pid) }));
        this.watch.pause();
        return;
      }
      for (const pid of running) send(pid, 'SIGSTOP');
      await sleep(FREEZE_PAUSE_MS);
    }
  }

  /** Lets it go on. */
  thaw(): void {
    if (!this.isAlive) return;
    this.watch.resume();
    const { frozen } = this;
    this.frozen = undefined;
    if (frozen === undefined) {
      for (const pid of sampleTree(this.initPid).pids) send(pid, 'SIGCONT');
      return;
    }
    for (const { pid, ticks } of frozen) {
      // The kernel may have ended one for want of memory, and given its number to somebody else.
      if (startTicks(pid) === ticks) send(pid, 'SIGCONT');
    }
  }

  /** For a moment, where the kernel cannot hold it to its share of the processors. */
  private hold(isHeld: boolean): void {
    if (this.frozen !== undefined || !this.isAlive) return;
    for (const pid of sampleTree(this.initPid).pids) send(pid, isHeld ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Ends it, whatever it is doing. Settles when nothing of it is left. */
  async destroy(): Promise<void> {
    this.end('destroyed');
    if (this.parts.spec.output.rawStdout === true) this.stdout.destroy();
    await this.gone;
  }

  /** The first cause is the true one: what follows is the dying. */
  private end(cause: LaunchEndCause): void {
    if (this.cause !== 'exit' || this.inside.hasExited) return;
    this.cause = cause;
    this.inside.kill();
  }

  private async describe(exitStatus: number | null): Promise<LaunchEnd> {
    this.watch.stop();
    await this.inside.empty();
    const { group } = this.parts;
    // Before the cgroup, which knows them, is removed.
    const { cpuMs, memoryPeakBytes } = group.usage();
    const killedForMemory = this.cause === 'exit' && group.ranOutOfMemory();
    this.lines.finish();
    await this.inside.endLines([...this.lines.ended, this.inside.info.ended]);
    // The reader decides when it has read all; nobody can add to it any more.
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
    // bubblewrap, too, ends with a status when it fails.
    return this.cause === 'exit' && exitStatus !== null && !this.inside.info.programRan ? 'did_not_start' : this.cause;
  }
}

interface FrozenProcess {
  readonly pid: number;
  /** When it started. */
  readonly ticks: string | null;
}

function send(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended since.
  }
}
