import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';

const GRANTS = 'oauth_grants_total';
const TOKENS = 'oauth_tokens_total';
const FETCHES = 'oauth_metadata_fetches_total';

@Injectable()
export class OauthFlowMetrics {
  constructor(
    @InjectMetric(GRANTS) private readonly grants: Counter,
    @InjectMetric(TOKENS) private readonly tokens: Counter,
    @InjectMetric(FETCHES) private readonly fetches: Counter,
  ) {}

  grant(way: 'metadata' | 'registration', result: 'made' | 'denied'): void {
    this.grants.inc({ way, result });
  }

  token(result: 'issued' | 'refused' | 'reused'): void {
    this.tokens.inc({ result });
  }

  metadataFetch(result: 'fetched' | 'refused' | 'failed' | 'invalid'): void {
    this.fetches.inc({ result });
  }
}

export const OAUTH_METRICS: Provider[] = [
  OauthFlowMetrics,
  makeCounterProvider({
    name: GRANTS,
    help: 'Answers of people to OAuth clients, by how the client is known and by the answer.',
    labelNames: ['way', 'result'],
  }),
  makeCounterProvider({
    name: TOKENS,
    help: 'Requests for access tokens by result. `reused` is a code or a refresh token that was used before.',
    labelNames: ['result'],
  }),
  makeCounterProvider({
    name: FETCHES,
    help: 'Metadata documents of OAuth clients by result of fetching them.',
    labelNames: ['result'],
  }),
];
