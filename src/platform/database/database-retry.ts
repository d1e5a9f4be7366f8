import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** A write is lost when the outage lasts longer than this. */
const RETRY_FOR_MS = 60_000;
/**
 * A broken connection can fail a write with an error that does not look like one, so other errors are retried too. A
 * real fault stays however often the write is repeated, so there are only a few retries.
 */
const MAX_OTHER_FAULTS = 3;

/** Retries writes that must survive a short outage of the database. */
@Injectable()
export class DatabaseRetry {
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
   * `write` must be safe to repeat, because a write whose connection broke may have been committed. Retrying stops
   * after one minute and when this process ends.
   */
  async run<T>(write: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + RETRY_FOR_MS;
    let otherFaults = 0;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await write();
      } catch (error) {
        otherFaults += isDatabaseUnavailable(error) ? 0 : 1;
        if (otherFaults >= MAX_OTHER_FAULTS || performance.now() + pauseMs > untilMs || this.stopping.signal.aborted)
          throw error;
        this.log.debug({ error }, 'Retrying a database write.');
        await sleep(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }
}
