import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Log } from '../../../platform/logging/log.js';

const LAST = 'ai_price_sync_last_seconds';
const REFUSED = 'ai_prices_refused';

/** Reports to operators what a synchronization of prices did. */
@Injectable()
export class PriceSyncReports {
  private reported = '';
  private readonly known = new Set<string>();

  constructor(
    @InjectMetric(LAST) private readonly last: Gauge,
    @InjectMetric(REFUSED) private readonly refusals: Gauge,
    private readonly log: Log,
  ) {}

  synchronized(router: string, at: Date): void {
    this.known.add(router);
    this.last.set({ router }, at.getTime() / 1000);
  }

  failed(router: string, error: unknown, at: Date): void {
    // A router that has never answered is stale from its first failure on.
    if (!this.known.has(router)) this.synchronized(router, at);
    this.log.warn({ router, error }, 'Could not read the models of a router. Its models and prices stay as they are.');
  }

  /** @param models the IDs of all models whose new prices are refused at the moment. */
  refused(models: readonly string[]): void {
    this.refusals.set(models.length);
    const list = models.join(' ');
    if (list !== this.reported && models.length > 0)
      this.log.warn({ models: models.slice(0, 50) }, 'New prices of models were not adopted. Check them.');
    this.reported = list;
  }
}

export const PRICE_SYNC_METRICS: Provider[] = [
  PriceSyncReports,
  makeGaugeProvider({
    name: LAST,
    help: 'When this process last took over the models and prices of a router, in Unix seconds.',
    labelNames: ['router'],
  }),
  makeGaugeProvider({
    name: REFUSED,
    help: 'Models whose new prices this process did not adopt: dynamic, free, or more than three times as high.',
  }),
];
