import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';
import type { ExecutionStatus, Language } from './sandbox-runtime.js';

const EXECUTIONS = 'sandbox_executions_total';
const AVAILABLE = 'sandbox_available';

@Injectable()
export class SandboxMetrics {
  constructor(
    @InjectMetric(EXECUTIONS) private readonly executions: Counter,
    @InjectMetric(AVAILABLE) private readonly available: Gauge,
  ) {}

  executed(language: Language, outcome: ExecutionStatus | 'platform_error'): void {
    this.executions.inc({ language, outcome });
  }

  setAvailable(available: boolean): void {
    this.available.set(available ? 1 : 0);
  }
}

export const SANDBOX_METRICS: Provider[] = [
  SandboxMetrics,
  makeCounterProvider({ name: EXECUTIONS, help: 'Runs that this worker ended, by language and outcome.', labelNames: ['language', 'outcome'] }),
  makeGaugeProvider({ name: AVAILABLE, help: '1 while this worker can run code in isolation.' }),
];
