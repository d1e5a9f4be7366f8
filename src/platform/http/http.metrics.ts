import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';

const REQUESTS = 'http_requests_total';
const DURATION = 'http_request_duration_seconds';
const LABELS = ['method', 'route', 'status'];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Handles {
  readonly requests: Counter.Internal;
  readonly duration: Histogram.Internal<string>;
}

/** Counts answers by method, route template and status. Labels never hold what a caller can choose freely. */
@Injectable()
export class HttpMetrics {
  private readonly handles = new Map<string, Handles>();

  constructor(
    @InjectMetric(REQUESTS) private readonly requests: Counter,
    @InjectMetric(DURATION) private readonly duration: Histogram,
  ) {}

  /** @param route the template, `/api/v1/projects/:id`, or undefined where no route matched. */
  answered(method: string, route: string | undefined, status: number, seconds: number): void {
    const { requests, duration } = this.handlesFor(METHODS.has(method) ? method : 'OTHER', route ?? 'unmatched', status);
    requests.inc();
    duration.observe(seconds);
  }

  /** Looking labels up costs more than counting; their number is bounded by that of the routes. */
  private handlesFor(method: string, route: string, status: number): Handles {
    const key = `${method} ${status} ${route}`;
    let handles = this.handles.get(key);
    if (handles === undefined) {
      const labels = { method, route, status: String(status) };
      handles = { requests: this.requests.labels(labels), duration: this.duration.labels(labels) };
      this.handles.set(key, handles);
    }
    return handles;
  }
}

export const HTTP_METRICS: Provider[] = [
  HttpMetrics,
  makeCounterProvider({ name: REQUESTS, help: 'Answers sent, by method, route template and status.', labelNames: LABELS }),
  makeHistogramProvider({
    name: DURATION,
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: LABELS,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 0.5, 1, 2.5, 5, 10, 30, 60],
  }),
];
