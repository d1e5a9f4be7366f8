import { type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Contained, endLines } from './contained.js';
import {
  type EndCause,
  type Ended,
  IsolationDidNotStart,
  REPORT_DESCRIPTOR,
  type RunLimits,
  type StartLimits,
  type Work,
  WORK_DESCRIPTOR,
} from './isolation-spec.js';
import { OutputCapture } from './output-capture.js';
import { type Usage } from './resource-group.js';
import { RunWatch } from './run-watch.js';

const REPORT_LIMIT_BYTES = 64 * 1024;
/** The program sends one newline when it waits for its work and another when it has received it. */
const BEGAN = '\n\n';
/** Until the run sets its limit, only the output of a failed start is kept. */
const START_OUTPUT_LIMIT_BYTES = 16 * 1024;

/** One isolated process: started, given work once, and ended. `Isolation.start` and `Isolation.fork` create it. */
export class IsolatedProcess {
  /** Resolves when the process and all that belonged to it is gone, however it ended. */
  readonly gone: Promise<void>;

  private readonly stdout: OutputCapture;
  private readonly stderr: OutputCapture;
  private readonly report: OutputCapture;
  private readonly pipesEnded: Promise<void>;
  private cause: EndCause = 'exit';
  private killedBeforeExit = false;
  private used = false;

  constructor(
    private readonly inside: Contained,
    private readonly limits: StartLimits,
  ) {
    const overflow = (): void => {
      this.end('output');
    };
    this.stdout = new OutputCapture(this.inside.pipe(1), START_OUTPUT_LIMIT_BYTES, overflow);
    this.stderr = new OutputCapture(this.inside.pipe(2), START_OUTPUT_LIMIT_BYTES, overflow);
    this.report = new OutputCapture(this.inside.pipe(REPORT_DESCRIPTOR), REPORT_LIMIT_BYTES, () => {
      this.report.close();
    });
    this.inside.takesNoFaultFrom(0, WORK_DESCRIPTOR);

    this.pipesEnded = this.inside.exited
      .then(() => {
        this.report.hurry();
        return endLines([this.stdout.ended, this.stderr.ended, this.report.ended]);
      })
      .then(() => {
        this.inside.closePipes();
      });
    this.gone = this.pipesEnded.then(() => this.inside.cleanUp());
  }

  /** The process id, on the host, of pid 1 inside. */
  get initPid(): number {
    return this.inside.info.initPid;
  }

  /** False as soon as its end is noticed. */
  get isAlive(): boolean {
    return !this.inside.hasExited;
  }

  /**
   * Resolves when the program waits for its work.
   * @throws {IsolationDidNotStart} when it ended, or took longer than `timeoutMs`, before that.
   */
  async started(timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    const outcome = await Promise.race([
      Promise.all([this.inside.info.known, firstByte(this.inside.pipe(REPORT_DESCRIPTOR))]).then(
        () => 'ready' as const,
      ),
      this.inside.exited.then(() => 'exited' as const),
      sleep(timeoutMs, 'late' as const, { signal: timeout.signal, ref: false }).catch(() => 'late' as const),
    ]);
    timeout.abort();
    if (outcome === 'ready') return;

    await this.destroy();
    const said = this.stderr.captured().bytes.toString('utf8').trim();
    throw new IsolationDidNotStart(outcome === 'late' ? `not ready after ${timeoutMs} ms. ${said}` : said);
  }

  /**
   * Hands over the work and waits until nothing runs inside any longer. It may be called only once.
   * @throws the signal's reason when it was aborted; the run has ended then, too.
   */
  async run(work: Work, limits: RunLimits, signal?: AbortSignal): Promise<Ended> {
    if (this.used) throw new Error('An isolated process runs once.');
    this.used = true;
    if (this.inside.hasExited) throw new IsolationDidNotStart('it ended while it waited for its work');

    const abort = (): void => {
      this.end('aborted');
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();

    const before = this.inside.group.usage();
    const startedAt = performance.now();
    const watch = new RunWatch(
      { group: this.inside.group, initPid: this.initPid, start: this.limits, run: limits, before },
      (cause) => {
        this.end(cause);
      },
    );
    this.handOver(work, limits);

    const exitStatus = await this.inside.exited;
    const durationMs = performance.now() - startedAt;
    watch.stop();
    signal?.removeEventListener('abort', abort);
    // The values are read before the cgroup, which holds them, is removed.
    const usage = this.inside.group.usage();
    const ranOutOfMemory = this.inside.group.ranOutOfMemory();
    await this.pipesEnded;

    if (signal?.aborted === true) throw signal.reason;
    return this.describe({ exitStatus, durationMs, usage, before, ranOutOfMemory });
  }

  /** Ends the process, whatever it is doing. Resolves when nothing of it is left. */
  async destroy(): Promise<void> {
    this.end('aborted');
    await this.gone;
  }

  private handOver(work: Work, limits: RunLimits): void {
    const { onOutput, onReport } = work;
    if (onReport !== undefined) this.report.passTo(onReport);
    this.stdout.limitTo(
      limits.outputBytes,
      onOutput &&
        ((chunk) => {
          onOutput('stdout', chunk);
        }),
    );
    this.stderr.limitTo(
      limits.outputBytes,
      onOutput &&
        ((chunk) => {
          onOutput('stderr', chunk);
        }),
    );
    this.inside.pipe(0).end(work.stdin);
    this.inside.pipe(WORK_DESCRIPTOR).end(work.input);
  }

  /** Only the first cause is recorded; later ones are consequences. */
  private end(cause: EndCause): void {
    if (this.cause !== 'exit') return;
    this.cause = cause;
    // Output written before a regular exit may still arrive.
    if (this.inside.hasExited) return;
    this.killedBeforeExit = true;
    this.inside.kill();
  }

  private describe(seen: Observed): Ended {
    const killedForMemory = this.cause === 'exit' && seen.ranOutOfMemory;
    const report = this.report.captured().bytes;
    return {
      interrupted:
        this.cause === 'exit' &&
        !killedForMemory &&
        (seen.exitStatus === null || !report.toString('latin1').startsWith(BEGAN)),
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

function firstByte(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('data', () => {
      resolve();
    });
  });
}
