import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { ConnectionType } from '../connections/sso-connection.js';

const RESPONSES = 'sso_responses_total';

/**
 * How a provider answered: it said who the person is (`accepted`), what it said is not to be believed (`refused`) or is
 * of a form that no provider sends (`forged`), or it could not be asked (`unavailable`).
 */
export type SsoResult = 'accepted' | 'refused' | 'forged' | 'unavailable';

@Injectable()
export class SsoMetrics {
  constructor(@InjectMetric(RESPONSES) private readonly responses: Counter) {}

  response(type: ConnectionType, result: SsoResult): void {
    this.responses.inc({ type, result });
  }
}

export const SSO_METRICS: Provider[] = [
  SsoMetrics,
  makeCounterProvider({
    name: RESPONSES,
    help: 'Responses of the identity providers of organizations by type of the connection and result.',
    labelNames: ['type', 'result'],
  }),
];
