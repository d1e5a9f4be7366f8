import type { Gauge } from 'prom-client';
import type { Log } from '../logging/log.js';

export interface ScrapedFigures {
  /** The gauges that one reading sets. */
  readonly gauges: readonly Gauge[];
  readonly read: () => Promise<void>;
  readonly log: Log;
}

/**
 * Reads gauges on each request for `/metrics`: once for all that one reading sets. While a reading fails, its gauges
 * keep their last values, all others are read as before, and the log names the first failure.
 */
export function readOnScrape({ gauges, read, log }: ScrapedFigures): void {
  let reading: Promise<void> | undefined;
  let hasFailed = false;

  const attempt = async (): Promise<void> => {
    try {
      await read();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn({ error }, 'Figures for /metrics could not be read. Their last values stay.');
      hasFailed = true;
    }
  };
  const collect = (): Promise<void> =>
    (reading ??= attempt().finally(() => {
      reading = undefined;
    }));
  for (const gauge of gauges) Object.assign(gauge, { collect });
}
