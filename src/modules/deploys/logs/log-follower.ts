import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { DeploySignals } from '../domain/deploy-signals.js';
import type { LogLine } from '../domain/deploy-facts.js';
import { type DeployState, isOver } from '../domain/deploy-state.js';
import { DeployLogStore } from '../persistence/deploy-log.store.js';
import { DeploysStore } from '../persistence/deploys.store.js';

const BATCH = 1_000;
/** The longest delay that a lost signal can cause. */
const POLL_EVERY_MS = 2_000;

/** New lines, possibly none, or the final state. */
export type LogNews = { readonly lines: readonly LogLine[] } | { readonly end: DeployState };

/** Reads the log of a deploy, and follows it until the deploy ends. */
@Injectable()
export class LogFollower {
  constructor(
    private readonly lines: DeployLogStore,
    private readonly deploys: DeploysStore,
    private readonly signals: DeploySignals,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * Yields the lines after `seq`, then new lines until the deploy ends, and at last its state. It ends without the
   * state when this process stops or `signal` is aborted. The caller can resume in any process.
   */
  async *follow(deployId: string, seq: number, signal: AbortSignal): AsyncGenerator<LogNews> {
    let after = seq;
    while (!signal.aborted && !this.shutdown.isDraining) {
      // The signal and the state are read before the lines. So no line is missed that is written meanwhile, and a final
      // state means that all lines have been written.
      const notified = this.signals.next(deployId, POLL_EVERY_MS, signal);
      const { state } = await this.deploys.get(deployId);
      const lines = await this.lines.after(deployId, after, BATCH);
      after = lines.at(-1)?.seq ?? after;
      yield { lines };
      if (lines.length === BATCH) continue;
      if (isOver(state)) {
        yield { end: state };
        return;
      }
      await notified;
    }
  }

  async hasMore(deployId: string, seq: number): Promise<boolean> {
    return (await this.lines.after(deployId, seq, 1)).length > 0;
  }

  /** Yields the lines that exist now, and at last the current state. */
  async *read(deployId: string, seq: number): AsyncGenerator<LogNews> {
    const { state } = await this.deploys.get(deployId);
    for (let after = seq; ;) {
      const lines = await this.lines.after(deployId, after, BATCH);
      yield { lines };
      if (lines.length < BATCH) break;
      after = lines.at(-1)!.seq;
    }
    yield { end: state };
  }
}
