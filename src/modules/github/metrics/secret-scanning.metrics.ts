import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import type { LeakOutcome } from '../../auth/leaked-tokens.js';
import type { TokenKind } from '../../auth/token-format.js';

const REPORTS = 'secret_scanning_reports_total';
const TOKENS = 'secret_scanning_tokens_total';

@Injectable()
export class SecretScanningMetrics {
  constructor(
    @InjectMetric(REPORTS) private readonly reports: Counter,
    @InjectMetric(TOKENS) private readonly tokens: Counter,
  ) {}

  reported(result: 'accepted' | 'refused'): void {
    this.reports.inc({ result });
  }

  /** `other` is text that is no token of this service. */
  found(kind: TokenKind | 'other', outcome: LeakOutcome): void {
    this.tokens.inc({ kind, outcome });
  }
}

export const SECRET_SCANNING_METRICS: Provider[] = [
  SecretScanningMetrics,
  makeCounterProvider({
    name: REPORTS,
    help: 'Messages of secret scanning. A refused one was not signed by the scanner.',
    labelNames: ['result'],
  }),
  makeCounterProvider({
    name: TOKENS,
    help: 'Tokens that secret scanning found, by kind and what became of them.',
    labelNames: ['kind', 'outcome'],
  }),
];
