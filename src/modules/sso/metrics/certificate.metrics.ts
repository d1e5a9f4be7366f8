import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Clock } from '../../../platform/time/clock.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';

const EXPIRES = 'sso_certificate_expires_seconds';

/** Which connection it is, the notices to owners say: a label would grow with the number of organizations. */
@Injectable()
class CertificateMetrics {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly clock: Clock,
    @InjectMetric(EXPIRES) private readonly expires: Gauge,
  ) {
    Object.assign(expires, { collect: () => this.read() });
  }

  /** Runs when `/metrics` is read. While the database is unavailable, the last figure stays. */
  private async read(): Promise<void> {
    try {
      const end = await this.connections.firstEnd();
      this.expires.set(end === undefined ? Number.NaN : (end.getTime() - this.clock.now().getTime()) / 1_000);
    } catch {
      // Readiness reports that the database is unavailable.
    }
  }
}

export const CERTIFICATE_METRICS: Provider[] = [
  CertificateMetrics,
  makeGaugeProvider({
    name: EXPIRES,
    help: 'Time until the first active SAML connection has no valid certificate; NaN when there is none.',
  }),
];
