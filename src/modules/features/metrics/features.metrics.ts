import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Features } from '../features.js';
import { FLAG_NAMES } from '../flags/flags.js';

const SYNC_AGE = 'feature_flag_sync_age_seconds';
const ENABLED = 'feature_flag_enabled';

@Injectable()
class FeatureMetrics {
  constructor(features: Features, @InjectMetric(SYNC_AGE) syncAge: Gauge, @InjectMetric(ENABLED) enabled: Gauge) {
    Object.assign(syncAge, {
      collect: () => {
        syncAge.set(features.syncAgeSeconds ?? Number.NaN);
      },
    });
    Object.assign(enabled, {
      collect: () => {
        for (const flag of FLAG_NAMES) enabled.set({ flag }, features.isEnabled(flag) ? 1 : 0);
      },
    });
  }
}

export const FEATURE_METRICS: Provider[] = [
  FeatureMetrics,
  makeGaugeProvider({ name: SYNC_AGE, help: 'Time since this process last read the feature flags from the database.' }),
  makeGaugeProvider({ name: ENABLED, help: '1 for a feature flag that is on in this process.', labelNames: ['flag'] }),
];
