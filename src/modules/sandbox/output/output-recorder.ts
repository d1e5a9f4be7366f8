import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OutputListener, OutputPiece } from '../domain/sandbox-runtime.js';
import { OutputSignals } from './output-signals.js';
import { KeptOutput } from './kept-output.js';

/** A slow Redis delays the end of a run by no more than this. What is not written by then is only in the result. */
const WRITE_WITHIN_MS = 1_000;
/** What one worker keeps of ended runs, so that they do not fill the memory of Redis. */
const MAX_KEPT_BYTES = 32 * 1_048_576;
/** What Redis needs for an output beside its text. */
const KEY_BYTES = 1_024;

/** One run whose output is written while it arrives. */
export interface RecordedOutput {
  readonly take: OutputListener;
  /** Resolves when all is written, or given up. Never throws. */
  readonly end: () => Promise<void>;
}

/** Writes the output of runs that can be followed. It never slows a run down and never makes one fail. */
@Injectable()
export class OutputRecorder {
  /** The bytes of ended runs, oldest first. */
  private readonly kept = new Map<string, number>();
  private keptBytes = 0;

  constructor(
    private readonly output: KeptOutput,
    private readonly signals: OutputSignals,
  ) {}

  open(executionId: string, keepMs: number): RecordedOutput {
    let writing: Promise<void> = Promise.resolve();
    let bytes = 0;
    // After a failure nothing more is written, so that what can be followed has no gap.
    let hasFailed = false;
    const write = async (pieces: readonly OutputPiece[]): Promise<void> => {
      if (hasFailed) return;
      try {
        await this.output.append(executionId, pieces, keepMs);
        bytes += pieces.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
        void this.signals.notify(executionId);
      } catch {
        hasFailed = true;
      }
    };
    return {
      take: (pieces) => {
        writing = writing.then(() => write(pieces));
      },
      end: async () => {
        const late = new AbortController();
        const isLate = sleep(WRITE_WITHIN_MS, undefined, { signal: late.signal }).catch(() => undefined);
        await Promise.race([writing, isLate]);
        late.abort();
        hasFailed = true;
        if (bytes > 0) this.keep(executionId, bytes + KEY_BYTES);
      },
    };
  }

  /** Removes the oldest outputs when there are too many. */
  private keep(executionId: string, bytes: number): void {
    this.kept.set(executionId, bytes);
    this.keptBytes += bytes;
    const removed: string[] = [];
    for (const [oldest, oldestBytes] of this.kept) {
      if (this.keptBytes <= MAX_KEPT_BYTES) break;
      this.kept.delete(oldest);
      this.keptBytes -= oldestBytes;
      removed.push(oldest);
    }
    // What is not removed expires.
    if (removed.length > 0) this.output.remove(removed).catch(() => undefined);
  }
}
