import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import type { RunEvent } from '../domain/run-events.js';
import { RunEventsStore } from '../persistence/run-events.store.js';
import { RunsStore } from '../persistence/runs.store.js';
import { isRunOver, type RunState } from '../domain/run-state.js';
import { type RunDelta, RunDeltas } from './run-deltas.js';
import { RunSignals } from './run-signals.js';

const BATCH = 500;
/** The longest delay that a lost signal can cause. */
const POLL_EVERY_MS = 2_000;
/** A follower who reads slowly loses live text, which comes whole with the end of its step. */
const MAX_PENDING_DELTAS = 200;

/** New events, pieces of text that is being generated, or the final state. */
export type RunNews =
  { readonly events: readonly RunEvent[]; readonly deltas: readonly RunDelta[] } | { readonly end: RunState };

/** Reads the events of a run, and follows it until it ends. */
@Injectable()
export class RunFollower {
  constructor(
    private readonly events: RunEventsStore,
    private readonly runs: RunsStore,
    private readonly signals: RunSignals,
    private readonly deltas: RunDeltas,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * Yields the events after `seq`, then new ones and live text until the run ends, and at last its state. It ends
   * without the state when this process stops or `signal` is aborted. The caller can resume in any process.
   */
  async *follow(
    run: { readonly id: string; readonly orgId: string },
    seq: number,
    signal: AbortSignal,
  ): AsyncGenerator<RunNews> {
    let after = seq;
    const live = this.listen(run.id);
    try {
      while (!signal.aborted && !this.shutdown.isDraining) {
        // The signal and the state are read before the events, so that no event is missed that is written meanwhile.
        const notified = this.signals.next(run.id, POLL_EVERY_MS, signal);
        const state = (await this.runs.find([run.orgId], run.id))?.state ?? 'cancelled';
        const events = await this.events.after(run.id, after, BATCH);
        after = events.at(-1)?.seq ?? after;
        yield { events, deltas: live.take() };
        if (events.length === BATCH) continue;
        if (isRunOver(state)) {
          yield { end: state };
          return;
        }
        // Live text needs no look at the database, and comes many times a second.
        const isNotified = notified.then(() => true);
        while (!(await Promise.race([isNotified, live.next().then(() => false)])))
          yield { events: [], deltas: live.take() };
      }
    } finally {
      live.stop();
    }
  }

  /** Yields the events that exist now, and at last the current state. */
  async *read(run: { readonly id: string; readonly orgId: string }, seq: number): AsyncGenerator<RunNews> {
    const state = (await this.runs.find([run.orgId], run.id))?.state ?? 'cancelled';
    for (let after = seq; ;) {
      const events = await this.events.after(run.id, after, BATCH);
      yield { events, deltas: [] };
      if (events.length < BATCH) break;
      after = events.at(-1)!.seq;
    }
    yield { end: state };
  }

  async hasMore(runId: string, seq: number): Promise<boolean> {
    return (await this.events.after(runId, seq, 1)).length > 0;
  }

  private listen(runId: string): LiveText {
    const live = new LiveText();
    live.stop = this.deltas.listen(runId, (delta) => {
      live.push(delta);
    });
    return live;
  }
}

class LiveText {
  stop: () => void = () => undefined;
  private pending: RunDelta[] = [];
  private wake: (() => void) | undefined;

  push(delta: RunDelta): void {
    if (this.pending.length < MAX_PENDING_DELTAS) this.pending.push(delta);
    this.wake?.();
  }

  take(): RunDelta[] {
    return this.pending.splice(0);
  }

  /** Resolves when there is something to take. */
  next(): Promise<void> {
    if (this.pending.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
