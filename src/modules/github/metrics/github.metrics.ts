import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { GithubEventKind } from '../github-event.job.js';

const DELIVERIES = 'github_deliveries_total';

/**
 * `repeated`: the delivery was received before. `ignored`: this service does not handle the event. `refused`: the
 * delivery was not signed by GitHub.
 */
export type DeliveryOutcome = 'accepted' | 'repeated' | 'ignored' | 'refused';

@Injectable()
export class GithubMetrics {
  constructor(@InjectMetric(DELIVERIES) private readonly deliveries: Counter) {}

  delivered(event: GithubEventKind | 'other', outcome: DeliveryOutcome): void {
    this.deliveries.inc({ event, outcome });
  }
}

export const GITHUB_METRICS: Provider[] = [
  GithubMetrics,
  makeCounterProvider({
    name: DELIVERIES,
    help: 'Webhook deliveries of GitHub by outcome.',
    labelNames: ['event', 'outcome'],
  }),
];
