import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';

const FAILURES = 'auth_failures_total';

/** Counts refused credentials. A sudden rise is an attack, or a program that still uses a rotated key. */
@Injectable()
export class AccessMetrics {
  constructor(@InjectMetric(FAILURES) private readonly failures: Counter) {}

  refused(reason: string): void {
    this.failures.inc({ reason });
  }
}

export const ACCESS_METRICS: Provider[] = [
  AccessMetrics,
  makeCounterProvider({
    name: FAILURES,
    help: 'Refused credentials by error code.',
    labelNames: ['reason'],
  }),
];
