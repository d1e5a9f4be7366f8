import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';
import { HistogramCounts, reportAs } from '../metrics/histogram-counts.js';

const REQUESTS = 'http_requests_total';
const DURATION = 'http_request_duration_seconds';
const DURATION_HELP = 'Time from the first byte of a request to the end of its response.';
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 0.5, 1, 2.5, 5, 10, 30, 60];
const LABELS = ['method', 'route', 'status'];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: string };
  readonly durations: HistogramCounts;
}

/** Counts responses by method, route template and status. Labels never hold what a caller can choose freely. */
@Injectable()
export class HttpMetrics {
  /** The number of series is bounded by that of the routes. */
  private readonly series = new Map<string, Series>();

  constructor(@InjectMetric(REQUESTS) requests: Counter, @InjectMetric(DURATION) durations: Histogram) {
    // Both metrics are computed when `/metrics` is read.
    Object.assign(requests, {
      collect: () => {
        requests.reset();
        for (const {
          labels,
          durations: { count },
        } of this.series.values())
          requests.inc(labels, count);
      },
    });
    reportAs(durations, { name: DURATION, help: DURATION_HELP }, () =>
      [...this.series.values()].flatMap(({ labels, durations: counts }) => counts.samples(DURATION, labels)),
    );
  }

  /** @param route the template, such as `/api/v1/projects/:id`, or undefined when no route matched. */
  answered(method: string, route: string | undefined, status: number, seconds: number): void {
    this.seriesOf(METHODS.has(method) ? method : 'OTHER', route ?? 'unmatched', status).durations.observe(seconds);
  }

  private seriesOf(method: string, route: string, status: number): Series {
    const key = `${method} ${status} ${route}`;
    let series = this.series.get(key);
    if (series === undefined)
      this.series.set(
        key,
        (series = { labels: { method, route, status: String(status) }, durations: new HistogramCounts(BUCKETS) }),
      );
    return series;
  }
}

export const HTTP_METRICS: Provider[] = [
  HttpMetrics,
  makeCounterProvider({
    name: REQUESTS,
    help: 'Responses sent, by method, route template and status.',
    labelNames: LABELS,
  }),
  makeHistogramProvider({ name: DURATION, help: DURATION_HELP, labelNames: LABELS, buckets: BUCKETS }),
];
