import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { ExternalMethod } from '../../auth/sign-in-method.js';

const ANSWERS = 'identity_provider_answers_total';

/**
 * How a provider answered: it said who the person is (`accepted`), the person did not allow it (`denied`), what it said
 * is not to be believed (`refused`), or it could not be asked (`unavailable`).
 */
export type ProviderResult = 'accepted' | 'denied' | 'refused' | 'unavailable';

@Injectable()
export class ProviderMetrics {
  constructor(@InjectMetric(ANSWERS) private readonly answers: Counter) {}

  answer(provider: ExternalMethod, result: ProviderResult): void {
    this.answers.inc({ provider, result });
  }
}

export const PROVIDER_METRICS: Provider[] = [
  ProviderMetrics,
  makeCounterProvider({
    name: ANSWERS,
    help: 'Answers of identity providers by provider and result.',
    labelNames: ['provider', 'result'],
  }),
];
