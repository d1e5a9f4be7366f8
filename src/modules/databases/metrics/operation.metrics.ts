import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';

const OPERATIONS = 'database_operations_total';

@Injectable()
export class OperationMetrics {
  constructor(@InjectMetric(OPERATIONS) private readonly operations: Counter) {}

  ended(kind: string, outcome: 'done' | 'failed'): void {
    this.operations.inc({ kind, outcome });
  }
}

export const OPERATION_METRICS: Provider[] = [
  OperationMetrics,
  makeCounterProvider({
    name: OPERATIONS,
    help: 'Operations on project databases that have ended, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
  }),
];
