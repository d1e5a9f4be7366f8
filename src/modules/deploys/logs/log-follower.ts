import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { DeploySignals } from '../domain/deploy-signals.js';
import type { LogLine } from '../domain/deploy-facts.js';
import { type DeployState, isOver } from '../domain/deploy-state.js';
import { DeployLogStore } from '../persistence/deploy-log.store.js';
import { DeploysStore } from '../persistence/deploys.store.js';

const BATCH = 1_000;
/** A signal that was lost costs so much. */
const LOOK_AGAIN_MS = 2_000;

/** Some lines, none where nothing was said for a while, or the end. */
export type LogNews = { readonly lines: readonly LogLine[] } | { readonly end: DeployState };

/** Reads the log of a deploy, and what is still to come of it. */
@Injectable()
export class LogFollower {
  constructor(
    private readonly lines: DeployLogStore,
    private readonly deploys: DeploysStore,
    private readonly signals: DeploySignals,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * The lines after `seq`, then those that come until the deploy is over; the last news is its state. It ends without
   * that when this process stops, or `signal` is aborted: whoever wants more asks again, here or elsewhere.
   */
  async *follow(deployId: string, seq: number, signal: AbortSignal): AsyncGenerator<LogNews> {
    let after = seq;
    while (!signal.aborted && !this.shutdown.isDraining) {
      // Before the lines are read, so that what is written meanwhile is not missed.
      const told = this.signals.next(deployId, LOOK_AGAIN_MS, signal);
      // Before the lines as well: the last of them are written before the state that ends it.
      const { state } = await this.deploys.get(deployId);
      const lines = await this.lines.after(deployId, after, BATCH);
      after = lines.at(-1)?.seq ?? after;
      yield { lines };
      if (lines.length === BATCH) continue;
      if (isOver(state)) {
        yield { end: state };
        return;
      }
      await told;
    }
  }

  async hasMore(deployId: string, seq: number): Promise<boolean> {
    return (await this.lines.after(deployId, seq, 1)).length > 0;
  }

  /** What there is now, and where it stands. */
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
