import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';

const REQUESTS = 'object_requests_total';
const SECONDS = 'object_request_seconds';
const BYTES = 'object_bytes_total';

@Injectable()
export class ObjectMetrics {
  constructor(
    @InjectMetric(REQUESTS) private readonly requests: Counter,
    @InjectMetric(SECONDS) private readonly seconds: Histogram,
    @InjectMetric(BYTES) private readonly bytes: Counter,
  ) {
    // A series that appears with its first count shows no increase.
    for (const direction of ['in', 'out']) bytes.inc({ direction }, 0);
  }

  /** `operation` is a name of S3, and `result` one of `ok`, `refused` and `error`. */
  answered(operation: string, result: string, seconds: number): void {
    this.requests.inc({ operation, result });
    this.seconds.observe({ operation }, seconds);
  }

  /** Counts bytes that callers sent and that were stored, or that are sent to callers. Copies move nothing. */
  moved(direction: 'in' | 'out', bytes: number): void {
    this.bytes.inc({ direction }, bytes);
  }
}

export const OBJECT_METRICS: Provider[] = [
  ObjectMetrics,
  makeCounterProvider({
    name: REQUESTS,
    help: 'Requests of S3 clients, by operation and result.',
    labelNames: ['operation', 'result'],
  }),
  makeHistogramProvider({
    name: SECONDS,
    help: 'Time from a request of an S3 client to the end of its answer, by operation.',
    labelNames: ['operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  }),
  makeCounterProvider({
    name: BYTES,
    help: 'Bytes of objects that callers sent and that were stored (`in`), and that callers got (`out`).',
    labelNames: ['direction'],
  }),
];
