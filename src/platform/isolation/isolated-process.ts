import { type ChildProcess } from 'node:child_process';
import { type Duplex, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { SandboxInfo } from './sandbox-info.js';
import { INFO_DESCRIPTOR, SECCOMP_DESCRIPTOR } from './bubblewrap.js';
import {
  type EndCause, type Ended, IsolationDidNotStart, REPORT_DESCRIPTOR, type RunLimits, type StartLimits, type Work,
  WORK_DESCRIPTOR,
} from './isolation-spec.js';
import { OutputCapture } from './output-capture.js';
import { type ResourceGroup, type Usage } from './resource-group.js';
import { RunWatch } from './run-watch.js';

const GO = Buffer.from('\n');
const REPORT_LIMIT_BYTES = 64 * 1024;
/** Waiting for work, and having it. */
const BEGAN = '\n\n';
/** Until the run says what its limit is, only what a failed start has to say is kept. */
const START_OUTPUT_LIMIT_BYTES = 16 * 1024;
const KILL_INTERVAL_MS = 10;
/** After the last process is gone the pipes end by themselves; this is only so that nothing can hold up the answer. */
const PIPES_GRACE_MS = 500;

export interface ProcessParts {
  readonly child: ChildProcess;
  readonly group: ResourceGroup;
  readonly limits: StartLimits;
  readonly seccomp: Buffer;
  /** Called once, when nothing of the sandbox is left. */
  readonly onGone: () => void;
}

/** One sandbox: started, given work once, and gone. Made by `Isolation.start`. */
export class IsolatedProcess {
  /** Settles when the sandbox and all that belonged to it is gone, however it ended. */
  readonly gone: Promise<void>;

  private readonly stdout: OutputCapture;
  private readonly stderr: OutputCapture;
  private readonly report: OutputCapture;
  private readonly info: SandboxInfo;
  private readonly pipesEnded: Promise<void>;
  private readonly exited: Promise<number | null>;
  private cause: EndCause = 'exit';
  private killer: NodeJS.Timeout | null = null;
  private hasExited = false;
  private killedBeforeExit = false;
  private used = false;

  constructor(private readonly parts: ProcessParts) {
    const { child, group } = parts;
    const overflow = (): void => { this.end('output'); };
    this.stdout = new OutputCapture(pipe(child, 1), START_OUTPUT_LIMIT_BYTES, overflow);
    this.stderr = new OutputCapture(pipe(child, 2), START_OUTPUT_LIMIT_BYTES, overflow);
    this.report = new OutputCapture(pipe(child, REPORT_DESCRIPTOR), REPORT_LIMIT_BYTES, () => { this.report.close(); });
    this.info = new SandboxInfo(pipe(child, INFO_DESCRIPTOR), (initPid) => { group.contains(initPid); });
    for (const descriptor of [0, WORK_DESCRIPTOR, SECCOMP_DESCRIPTOR]) {
      // The program may close its end at any time, which is not our error.
      pipe(child, descriptor).on('error', () => undefined);
    }

    this.exited = new Promise((resolve) => {
      child.once('exit', resolve);
      child.once('error', () => { resolve(null); });
    });
    void this.exited.then(() => { this.hasExited = true; });
    this.pipesEnded = this.exited.then(() => this.endPipes());
    this.gone = this.pipesEnded.then(() => this.cleanUp());
    // The line lets the launcher go on; bubblewrap reads the rest.
    pipe(child, SECCOMP_DESCRIPTOR).end(Buffer.concat([GO, parts.seccomp]));
  }

  /** The process id, on the host, of pid 1 inside. */
  get initPid(): number {
    return this.info.initPid;
  }

  /** False from the moment its end is noticed. */
  get isAlive(): boolean {
    return !this.hasExited;
  }

  /**
   * Settles when the program waits for its work.
   *
   * @throws {IsolationDidNotStart} when it ended, or took longer than `timeoutMs`, before it did.
   */
  async started(timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    const outcome = await Promise.race([
      Promise.all([this.info.known, firstByte(pipe(this.parts.child, REPORT_DESCRIPTOR))]).then(() => 'ready' as const),
      this.exited.then(() => 'exited' as const),
      sleep(timeoutMs, 'late' as const, { signal: timeout.signal, ref: false }).catch(() => 'late' as const),
    ]);
    timeout.abort();
    if (outcome === 'ready') return;

    await this.destroy();
    const said = this.stderr.captured().bytes.toString('utf8').trim();
    throw new IsolationDidNotStart(outcome === 'late' ? `not ready after ${timeoutMs} ms. ${said}` : said);
  }

  /**
   * Hands over the work and waits for the end of the run, when nothing in the sandbox runs any more. Only once.
   *
   * @throws the signal's reason when it was aborted; the run has ended then, too.
   */
  async run(work: Work, limits: RunLimits, signal?: AbortSignal): Promise<Ended> {
    if (this.used) throw new Error('An isolated process runs once.');
    this.used = true;
    if (this.hasExited) throw new IsolationDidNotStart('it ended while it waited for its work');

    const abort = (): void => { this.end('aborted'); };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();

    const before = this.parts.group.usage();
    const startedAt = performance.now();
    const watch = new RunWatch(
      { group: this.parts.group, initPid: this.initPid, start: this.parts.limits, run: limits, before },
      (cause) => { this.end(cause); },
    );
    this.handOver(work, limits);

    const exitStatus = await this.exited;
    const durationMs = performance.now() - startedAt;
    watch.stop();
    signal?.removeEventListener('abort', abort);
    // Before the cgroup, which knows them, is removed.
    const usage = this.parts.group.usage();
    const ranOutOfMemory = this.parts.group.ranOutOfMemory();
    await this.pipesEnded;

    if (signal?.aborted === true) throw signal.reason;
    return this.describe({ exitStatus, durationMs, usage, before, ranOutOfMemory });
  }

  /** Ends the sandbox, whatever it is doing. Settles when nothing of it is left. */
  async destroy(): Promise<void> {
    this.end('aborted');
    await this.gone;
  }

  private handOver(work: Work, limits: RunLimits): void {
    this.stdout.limitTo(limits.outputBytes);
    this.stderr.limitTo(limits.outputBytes);
    pipe(this.parts.child, 0).end(work.stdin);
    pipe(this.parts.child, WORK_DESCRIPTOR).end(work.input);
  }

  /** The first cause is the true one: what follows is the dying. */
  private end(cause: EndCause): void {
    if (this.cause !== 'exit') return;
    this.cause = cause;
    // What it wrote before it exited by itself may still be on its way.
    if (this.hasExited) return;
    this.killedBeforeExit = true;
    this.kill();
    // Again until it is gone: bubblewrap may have been about to make a process.
    this.killer = setInterval(() => { this.kill(); }, KILL_INTERVAL_MS);
  }

  private kill(): void {
    this.parts.group.kill();
    const { pid } = this.parts.child;
    if (pid !== undefined) sendKill(-pid);
    // The init inside leaves bubblewrap's process group; with it dies its namespace.
    this.info.whenKnown((initPid) => { sendKill(initPid); });
  }

  private async endPipes(): Promise<void> {
    const pipes = Promise.all([this.stdout.ended, this.stderr.ended, this.report.ended]);
    const grace = new AbortController();
    await Promise.race([pipes, sleep(PIPES_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();

    if (this.killer !== null) clearInterval(this.killer);
    for (const stream of this.parts.child.stdio) stream?.destroy();
  }

  private async cleanUp(): Promise<void> {
    await this.parts.group.remove();
    this.parts.onGone();
  }

  private describe(seen: Observed): Ended {
    const killedForMemory = this.cause === 'exit' && seen.ranOutOfMemory;
    const report = this.report.captured().bytes;
    return {
      interrupted: this.cause === 'exit' && !killedForMemory && (seen.exitStatus === null || !report.toString('latin1').startsWith(BEGAN)),
      cause: killedForMemory ? 'memory' : this.cause,
      exitStatus: killedForMemory || this.killedBeforeExit ? null : seen.exitStatus,
      durationMs: seen.durationMs,
      cpuMs: Math.max(0, seen.usage.cpuMs - seen.before.cpuMs),
      memoryPeakBytes: seen.usage.memoryPeakBytes,
      stdout: this.stdout.captured(),
      stderr: this.stderr.captured(),
      report,
    };
  }
}

interface Observed {
  readonly exitStatus: number | null;
  readonly durationMs: number;
  readonly usage: Usage;
  readonly before: Usage;
  readonly ranOutOfMemory: boolean;
}

function pipe(child: ChildProcess, descriptor: number): Duplex {
  return child.stdio[descriptor] as Duplex;
}

function firstByte(stream: Readable): Promise<void> {
  return new Promise((resolve) => { stream.once('data', () => { resolve(); }); });
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
