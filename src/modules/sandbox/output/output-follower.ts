import { Injectable } from '@nestjs/common';
import type { OutputPiece } from '../domain/sandbox-runtime.js';
import { OutputSignals } from './output-signals.js';
import { OutputStore } from './output-store.js';

/** Pieces that are read at once. A piece has at most as much as one read of a pipe. */
const BATCH = 8;
/** The longest delay that a lost signal can cause. */
const POLL_EVERY_MS = 1_000;

/** A piece with its number, from 1. */
export interface NumberedPiece extends OutputPiece {
  readonly seq: number;
}

export interface Following {
  /** The pieces up to this number are left out. */
  readonly after: number;
  /** Settles when the execution is over. */
  readonly over: Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Follows what executions print. */
@Injectable()
export class OutputFollower {
  constructor(
    private readonly store: OutputStore,
    private readonly signals: OutputSignals,
  ) {}

  /**
   * Yields the pieces that are kept and new ones, until the execution is over and all are read, or `signal` is aborted.
   * While Redis is unavailable there are none; the result of the execution has all of its output.
   */
  async *follow(executionId: string, { after, over, signal }: Following): AsyncGenerator<readonly NumberedPiece[]> {
    let isOver = false;
    const end = over.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    for (let seq = after; !signal.aborted; ) {
      // Both are read before the pieces, so that none is missed that is written meanwhile.
      const wake = new AbortController();
      const notified = this.signals.next(executionId, POLL_EVERY_MS, AbortSignal.any([signal, wake.signal]));
      const wasOver = isOver;
      const pieces = await this.store.after(executionId, seq, BATCH).catch((): OutputPiece[] => []);
      const first = seq + 1;
      seq += pieces.length;
      if (pieces.length > 0) yield pieces.map((piece, index) => ({ ...piece, seq: first + index }));
      if (pieces.length < BATCH) {
        if (wasOver) return;
        await Promise.race([notified, end]);
      }
      wake.abort();
    }
  }
}
