import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** An outage that lasts longer loses what could not be written. */
const PATIENCE_MS = 60_000;
/**
 * A connection that breaks can fail a write in ways that do not say so; any other fault stays however often it is
 * tried.
 */
const TRIES_OF_OTHER_FAULTS = 3;

/** Tries writes again that must not be lost with a database that is away for a moment. */
@Injectable()
export class DatabasePatience {
  private readonly stopping = new AbortController();

  constructor(
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('queues', () => {
      this.stopping.abort();
    });
  }

  /**
   * `write` must be safe to repeat: whether a write whose connection broke was committed is not known. Gives up after a
   * minute, and when this process ends.
   */
  async during<T>(write: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + PATIENCE_MS;
    let otherFaults = 0;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await write();
      } catch (error) {
        otherFaults += isDatabaseUnavailable(error) ? 0 : 1;
        if (
          otherFaults >= TRIES_OF_OTHER_FAULTS ||
          performance.now() + pauseMs > untilMs ||
          this.stopping.signal.aborted
        )
          throw error;
        this.log.debug({ error }, 'A write is tried again.');
        await sleep(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }
}
