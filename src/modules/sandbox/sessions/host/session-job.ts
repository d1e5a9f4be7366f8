import assert from 'node:assert/strict';
import { type OutputStream } from '../../../../platform/isolation/isolation-spec.js';
import { MAX_RESULTS, MAX_RESULTS_BYTES, type RichResult, type RichResultType } from '../../domain/rich-result.js';
import { type OutputListener } from '../../domain/sandbox-runtime.js';
import { OutputFeed } from '../../runtime/output-feed.js';
import { type JobEnd } from './agent-messages.js';
import { PausableTimer } from './pausable-timer.js';
import { COLLECT_GRACE_MS, MAX_COLLECTING_MS, MAX_OVERTIME_MS } from './session-process.js';

/** The interpreter, or the table of processes, may have to be replaced first. */
const BEGINS_WITHIN_MS = 20_000;
/** Code that catches its interruption may clean up for so long before its interpreter is ended. */
const INTERRUPT_GRACE_MS = 500;
/** What cannot be ended within this time ends with the whole session. The agent may have to share with many others. */
const KILL_GRACE_MS = 10_000;
const COLLECTED_WITHIN_MS = MAX_COLLECTING_MS + COLLECT_GRACE_MS;
assert(BEGINS_WITHIN_MS + INTERRUPT_GRACE_MS + KILL_GRACE_MS + COLLECTED_WITHIN_MS < MAX_OVERTIME_MS);
/** Code may write each byte by itself. What is kept of it are pieces of this size. */
const PIECE_BYTES = 512;
/** Results beyond those that are kept. */
const MAX_DROPPED_RESULTS = 1_000;

/** Why the host has ended a job. */
type StopCause = 'timed_out' | 'output_limit' | 'aborted';

/** How a job ended: as the agent says, or with the session. */
export type JobResult = JobEnd | 'session_ended';

interface JobOptions {
  readonly id: number;
  readonly kind: 'run' | 'shell';
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly onOutput: OutputListener | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What a job needs from its session. */
interface JobMeans {
  readonly send: (op: 'interrupt' | 'kill', id: number) => void;
  /** The session cannot end the job. */
  readonly giveUp: () => void;
}

/** A run or a command under way. It holds all limits itself, because the agent inside is untrusted. */
export class SessionJob {
  readonly id: number;
  readonly kind: 'run' | 'shell';
  readonly results: RichResult[] = [];
  readonly truncated = { stdout: false, stderr: false };
  readonly settled: Promise<JobResult>;

  private readonly feed: OutputFeed | null;
  private readonly chunks: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] };
  private readonly bytes = { stdout: 0, stderr: 0 };
  private readonly timer = new PausableTimer();
  private resultBytes = 0;
  private dropped = 0;
  private hasBegun = false;
  private stopCause: StopCause | undefined;
  private settle!: (result: JobResult) => void;
  private readonly askedAtMs = performance.now();
  private beganAtMs = 0;
  private pausedAtMs: number | undefined;
  private pausedMs = 0;

  constructor(
    private readonly options: JobOptions,
    private readonly means: JobMeans,
  ) {
    this.id = options.id;
    this.kind = options.kind;
    this.feed = options.onOutput === undefined ? null : new OutputFeed(options.onOutput);
    this.settled = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.timer.set(BEGINS_WITHIN_MS, means.giveUp);
    options.signal?.addEventListener('abort', this.onAbort);
    if (options.signal?.aborted === true) this.onAbort();
  }

  get cause(): StopCause | undefined {
    return this.stopCause;
  }

  /**
   * Without the time for which the session was frozen. The messages about the beginning and the end may have arrived
   * together, so what the agent has measured counts, but for no more than the time since it was asked. Code may have
   * stopped the agent, so the processor time that the session has used meanwhile is the least.
   */
  durationMs(measuredMs: number, cpuMs: number): number {
    const untilMs = (this.pausedAtMs ?? performance.now()) - this.pausedMs;
    const mostMs = untilMs - this.askedAtMs;
    if (!this.hasBegun) return Math.min(cpuMs, mostMs);
    return Math.max(untilMs - this.beganAtMs, Math.min(Math.max(measuredMs, cpuMs), mostMs));
  }

  textOf(stream: OutputStream): string {
    const bytes = Buffer.concat(this.chunks[stream]);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: this.truncated[stream] });
  }

  /** Returns false when the agent must not say this. So do the others. */
  begin(): boolean {
    if (this.hasBegun) return false;
    this.hasBegun = true;
    this.beganAtMs = this.pausedAtMs ?? performance.now();
    if (this.stopCause === undefined)
      this.timer.set(this.options.timeoutMs, () => {
        this.stop('timed_out');
      });
    else this.interrupt();
    return true;
  }

  output(stream: OutputStream, chunk: Buffer): boolean {
    this.bytes[stream] += chunk.length;
    if (!this.hasBegun || this.bytes[stream] > this.options.outputBytes) return false;
    if (chunk.length === 0) return true;
    this.keep(this.chunks[stream], chunk);
    this.feed?.take(stream, chunk);
    return true;
  }

  over(stream: OutputStream): boolean {
    if (!this.hasBegun || this.truncated[stream]) return false;
    this.truncated[stream] = true;
    this.stop('output_limit');
    return true;
  }

  /** More results than fit are dropped. */
  result(type: RichResultType, data: Buffer): boolean {
    if (!this.hasBegun || this.kind === 'shell') return false;
    if (this.results.length >= MAX_RESULTS || this.resultBytes + data.length > MAX_RESULTS_BYTES) {
      this.dropped += 1;
      return this.dropped <= MAX_DROPPED_RESULTS;
    }
    this.resultBytes += data.length;
    this.results.push({ type, data: data.toString('utf8') });
    return true;
  }

  end(result: JobResult): void {
    this.timer.clear();
    this.options.signal?.removeEventListener('abort', this.onAbort);
    this.feed?.end(this.truncated);
    this.feed?.close();
    this.pausedAtMs ??= performance.now();
    this.settle(result);
  }

  pause(): void {
    this.timer.pause();
    this.pausedAtMs ??= performance.now();
  }

  resume(): void {
    this.timer.resume();
    if (this.pausedAtMs === undefined) return;
    if (this.hasBegun) this.pausedMs += performance.now() - this.pausedAtMs;
    this.pausedAtMs = undefined;
  }

  /** A copy: a chunk is a part of what came with it, which would be kept as a whole. */
  private keep(chunks: Buffer[], chunk: Buffer): void {
    const last = chunks.at(-1);
    if (last !== undefined && last.length + chunk.length <= PIECE_BYTES)
      chunks[chunks.length - 1] = Buffer.concat([last, chunk]);
    else chunks.push(Buffer.from(chunk));
  }

  private readonly onAbort = (): void => {
    this.stop('aborted');
  };

  private stop(cause: StopCause): void {
    if (this.stopCause !== undefined) return;
    this.stopCause = cause;
    if (this.hasBegun) this.interrupt();
  }

  private interrupt(): void {
    this.means.send('interrupt', this.id);
    this.timer.set(INTERRUPT_GRACE_MS, () => {
      this.means.send('kill', this.id);
      this.timer.set(KILL_GRACE_MS, this.means.giveUp);
    });
  }
}
