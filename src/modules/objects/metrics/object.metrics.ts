import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';
import { HistogramCounts, reportAs } from '../../../platform/metrics/histogram-counts.js';

const REQUESTS = 'object_requests_total';
const SECONDS = 'object_request_seconds';
const SECONDS_HELP = 'Time from a request of an S3 client to the end of its answer, by operation.';
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const BYTES = 'object_bytes_total';

/** Where a request came in: an S3 client, the host of a public bucket, or the API. */
type ObjectSurface = 's3' | 'public' | 'api';
/** An error is a fault of the service. A caller that leaves before the end of the answer is refused nothing more. */
export type ObjectResult = 'ok' | 'refused' | 'error';

export const resultOf = (status: number): ObjectResult => (status >= 500 ? 'error' : status >= 400 ? 'refused' : 'ok');

/** Numbers that are kept plainly until `/metrics` reads them. Operations and results are few. */
@Injectable()
export class ObjectMetrics {
  private readonly requests = new Map<string, { readonly labels: Record<string, string>; count: number }>();
  private readonly seconds = new Map<string, HistogramCounts>();
  // A series that appears with its first count shows no increase.
  private readonly bytes = { in: 0, out: 0 };

  constructor(
    @InjectMetric(REQUESTS) requests: Counter,
    @InjectMetric(SECONDS) seconds: Histogram,
    @InjectMetric(BYTES) bytes: Counter,
  ) {
    Object.assign(requests, {
      collect: () => {
        requests.reset();
        for (const { labels, count } of this.requests.values()) requests.inc(labels, count);
      },
    });
    Object.assign(bytes, {
      collect: () => {
        bytes.reset();
        for (const direction of ['in', 'out'] as const) bytes.inc({ direction }, this.bytes[direction]);
      },
    });
    reportAs(seconds, { name: SECONDS, help: SECONDS_HELP }, () =>
      [...this.seconds].flatMap(([operation, counts]) => counts.samples(SECONDS, { operation })),
    );
  }

  /** Counts the answer to a request. `operation` is a name of S3, or `none`. */
  answered(surface: ObjectSurface, operation: string, result: ObjectResult): void {
    const name = `${surface} ${operation} ${result}`;
    const counted = this.requests.get(name);
    if (counted === undefined) this.requests.set(name, { labels: { surface, operation, result }, count: 1 });
    else counted.count += 1;
  }

  /** Observes the time that a request of an S3 client took. */
  took(operation: string, seconds: number): void {
    let times = this.seconds.get(operation);
    if (times === undefined) this.seconds.set(operation, (times = new HistogramCounts(BUCKETS)));
    times.observe(seconds);
  }

  /** Counts bytes that callers sent and that were stored, or that are sent to callers. Copies move nothing. */
  moved(direction: 'in' | 'out', bytes: number): void {
    this.bytes[direction] += bytes;
  }
}

export const OBJECT_METRICS: Provider[] = [
  ObjectMetrics,
  makeCounterProvider({
    name: REQUESTS,
    help: 'Requests for objects, by where they came in, operation and result.',
    labelNames: ['surface', 'operation', 'result'],
  }),
  makeHistogramProvider({ name: SECONDS, help: SECONDS_HELP, labelNames: ['operation'], buckets: BUCKETS }),
  makeCounterProvider({
    name: BYTES,
    help: 'Bytes of objects that callers sent and that were stored (`in`), and that callers got (`out`).',
    labelNames: ['direction'],
  }),
];
