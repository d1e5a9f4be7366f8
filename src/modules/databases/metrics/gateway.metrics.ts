import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';

const CONNECTIONS = 'database_connections';
const FAILURES = 'database_auth_failures_total';

/** `protocol` is what is no PostgreSQL, and `attempts` are too many failures before. */
const REASONS = ['password', 'attempts', 'tls', 'ticket', 'protocol'] as const;
export type AuthFailure = (typeof REASONS)[number];

@Injectable()
export class GatewayMetrics {
  constructor(
    @InjectMetric(CONNECTIONS) private readonly open: Gauge,
    @InjectMetric(FAILURES) private readonly failures: Counter,
  ) {
    // A series that appears with its first count shows no increase.
    for (const reason of REASONS) failures.inc({ reason }, 0);
  }

  refused(reason: AuthFailure): void {
    this.failures.inc({ reason });
  }

  connections(open: number): void {
    this.open.set(open);
  }
}

export const WIRE_METRICS: Provider[] = [
  GatewayMetrics,
  makeGaugeProvider({ name: CONNECTIONS, help: 'Open connections to project databases on this host.' }),
  makeCounterProvider({
    name: FAILURES,
    help: 'Clients of project databases that were refused before they were signed in, by reason.',
    labelNames: ['reason'],
  }),
];
