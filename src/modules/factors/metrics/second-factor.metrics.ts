import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { SecondFactorMethod } from '../../auth/sign-in-method.js';

const ATTEMPTS = 'second_factor_attempts_total';

/** How an attempt ended. A `limited` one was refused before it was checked; a `copied` passkey counted backwards. */
export type AttemptResult = 'succeeded' | 'refused' | 'limited' | 'copied';

@Injectable()
export class SecondFactorMetrics {
  constructor(@InjectMetric(ATTEMPTS) private readonly attempts: Counter) {}

  attempt(method: SecondFactorMethod, result: AttemptResult): void {
    this.attempts.inc({ method, result });
  }
}

export const SECOND_FACTOR_METRICS: Provider[] = [
  SecondFactorMetrics,
  makeCounterProvider({
    name: ATTEMPTS,
    help: 'Attempts with a second factor by method and result.',
    labelNames: ['method', 'result'],
  }),
];
