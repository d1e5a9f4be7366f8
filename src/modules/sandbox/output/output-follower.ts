import { Injectable } from '@nestjs/common';
import type { OutputPiece } from '../domain/sandbox-runtime.js';
import { OutputSignals } from './output-signals.js';
import { KeptOutput } from './kept-output.js';

/** Pieces that are read at once. Each has little more than one read of a pipe. */
const BATCH = 8;
/** The longest delay that a lost signal can cause. */
const POLL_EVERY_MS = 1_000;

/** A piece with its number, from 1. */
export interface NumberedPiece extends OutputPiece {
  readonly seq: number;
}

/** New output, or how the execution ended. What is thrown while it runs is the last news. */
export type ExecutionNews<Ended> =
  { readonly pieces: readonly NumberedPiece[] } | { readonly result: Ended } | { readonly error: unknown };

export interface Followed<Ended> {
  readonly id: string;
  /** The pieces up to this number are left out. */
  readonly after: number;
  readonly ended: Promise<Ended>;
  readonly signal: AbortSignal;
}

/** This process stops. The caller can resume in another one. */
export class StreamInterrupted extends Error {}

/** Follows what executions print, and how they end. */
@Injectable()
export class OutputFollower {
  constructor(
    private readonly output: KeptOutput,
    private readonly signals: OutputSignals,
  ) {}

  /**
   * Yields what the execution prints, and then its result or error. When `signal` is aborted it ends without them.
   *
   * @throws {StreamInterrupted}
   */
  async *follow<Ended>(followed: Followed<Ended>): AsyncGenerator<ExecutionNews<Ended>> {
    yield* this.followOutput(followed);
    let news: ExecutionNews<Ended>;
    try {
      news = { result: await followed.ended };
    } catch (error) {
      if (followed.signal.aborted) return;
      if (error instanceof StreamInterrupted) throw error;
      news = { error };
    }
    yield news;
  }

  /**
   * Yields pieces until the execution is over and all are read. While Redis is unavailable there are none; the result
   * has the whole output.
   */
  private async *followOutput({
    id,
    after,
    ended,
    signal,
  }: Followed<unknown>): AsyncGenerator<{ readonly pieces: readonly NumberedPiece[] }> {
    const over = new AbortController();
    const stop = (): void => {
      over.abort();
    };
    const end = ended.then(stop, stop);
    for (let seq = after; !signal.aborted;) {
      // Both are read before the pieces, so that none is missed that is written meanwhile.
      const notified = this.signals.next(id, POLL_EVERY_MS, signal);
      const wasOver = over.signal.aborted;
      const found = await this.output.after(id, seq, BATCH).catch((): OutputPiece[] => []);
      const first = seq + 1;
      seq += found.length;
      if (found.length > 0) yield { pieces: found.map((piece, index) => ({ ...piece, seq: first + index })) };
      if (found.length === BATCH) continue;
      if (wasOver) return;
      await Promise.race([notified, end]);
    }
  }
}
