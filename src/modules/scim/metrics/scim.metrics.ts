import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';

const REQUESTS = 'scim_requests_total';

/** `unauthorized`: the token is refused. `limited`: there were too many calls. `refused`: what was asked for. */
type ScimResult = 'succeeded' | 'refused' | 'unauthorized' | 'limited' | 'failed';

@Injectable()
export class ScimMetrics {
  constructor(@InjectMetric(REQUESTS) private readonly requests: Counter) {}

  answered(status: number): void {
    this.requests.inc({ result: resultOf(status) });
  }
}

function resultOf(status: number): ScimResult {
  if (status < 400) return 'succeeded';
  if (status >= 500 && status !== 501) return 'failed';
  if (status === 429) return 'limited';
  return status === 401 ? 'unauthorized' : 'refused';
}

export const SCIM_METRICS: Provider[] = [
  ScimMetrics,
  makeCounterProvider({
    name: REQUESTS,
    help: 'Requests of identity providers to SCIM by result.',
    labelNames: ['result'],
  }),
];
