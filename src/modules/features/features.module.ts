import { Global, Module } from '@nestjs/common';
import { FEATURE_METRICS } from './metrics/features.metrics.js';
import { Features } from './features.js';
import { FlagAdministrationService } from './flags/flag-administration.service.js';
import { OpenFeatureFlags } from './flags/open-feature.provider.js';
import { FeatureFlagsStore } from './persistence/feature-flags.store.js';

/** Global, because a flag can guard any feature. */
@Global()
@Module({
  providers: [Features, FeatureFlagsStore, FlagAdministrationService, OpenFeatureFlags, ...FEATURE_METRICS],
  exports: [Features, FlagAdministrationService, OpenFeatureFlags],
})
export class FeaturesModule {}
