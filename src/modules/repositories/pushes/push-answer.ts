import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { FLUSH, KEEP_ALIVE, messageOf, SideBand } from '../git/side-band.js';
import { type PushReport, PushReporters } from '../push-reporters.js';

/** Without `-o wait`, the pusher waits only until the deploys are queued. */
const SHORT_MS = 15_000;
const LONG_MS = 15 * 60_000;
const KEEP_ALIVE_EVERY_MS = 10_000;
/** The pushes that wait for their deploys, in one process. Others get the addresses only. */
const MAX_WAITING = 100;

/** The end of a push. */
export interface PushEnd {
  /** Writes the answer of git, and resolves when git has ended. */
  readonly answer: (to: Writable) => Promise<void>;
  /** Records what has changed. Undefined when there is nothing to tell. */
  readonly record: () => Promise<PushReport | undefined>;
}

/** Sends the answer of git to a pusher, and then what the push has started. */
@Injectable()
export class PushAnswer {
  private waiting = 0;

  constructor(
    private readonly reporters: PushReporters,
    private readonly log: Log,
  ) {}

  /**
   * Writes the answer, calls `record`, and writes a report about what it returns, if anything, and if the client shows
   * messages. It does not end the destination.
   */
  async send(destination: Writable, { answer, record }: PushEnd, signal: AbortSignal): Promise<void> {
    const band = new SideBand();
    band.pipe(destination, { end: false });
    // A caller that left reads nothing any more, and git must still be able to finish.
    const leave = (): void => {
      band.unpipe(destination).resume();
    };
    destination.once('close', leave);
    if (destination.destroyed) leave();
    try {
      await answer(band);
      band.end();
      await finished(band);
      const report = await record();
      if (!band.isOpen) return;
      if (report !== undefined && !signal.aborted) await this.tell(destination, report, signal);
      if (!destination.destroyed) destination.write(FLUSH);
    } finally {
      destination.off('close', leave);
    }
  }

  /** The push itself has succeeded, so that a failure here is only logged. */
  private async tell(destination: Writable, report: PushReport, signal: AbortSignal): Promise<void> {
    const wait = report.wait && this.waiting < MAX_WAITING;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(wait ? LONG_MS : SHORT_MS)]);
    const ping = setInterval(() => {
      if (!destination.destroyed) destination.write(KEEP_ALIVE);
    }, KEEP_ALIVE_EVERY_MS);
    if (wait) this.waiting++;
    try {
      for await (const line of this.reporters.lines({ ...report, wait }, limit)) {
        if (destination.destroyed) return;
        if (!destination.write(messageOf(line))) await once(destination, 'drain', { signal });
      }
    } catch (error) {
      if (!signal.aborted) this.log.warn({ error }, 'A pusher could not be shown what the push has started.');
    } finally {
      if (wait) this.waiting--;
      clearInterval(ping);
    }
  }
}
