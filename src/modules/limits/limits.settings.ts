import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting } from '../../platform/config/setting.js';

/** The limits of unauthenticated callers. */
export class LimitsSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'ANONYMOUS_CALLS_PER_DAY',
    summary: 'API calls per UTC day of an unauthenticated address.',
    unit: 'calls',
    min: 1,
  })
  readonly anonymousCallsPerDay: number = 1_000;

  @IntegerSetting({
    name: 'ANONYMOUS_CALLS_PER_SECOND',
    summary: 'API calls per second of an unauthenticated address; a burst may have twice as many.',
    unit: 'calls',
    min: 1,
  })
  readonly anonymousCallsPerSecond: number = 5;
}
