import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting } from '../../platform/config/setting.js';

/** What callers without an account may do. */
export class LimitsSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'ANONYMOUS_CALLS_PER_DAY',
    summary: 'API calls of an address without an account, a UTC day.',
    unit: 'calls',
    min: 1,
  })
  readonly anonymousCallsPerDay: number = 1_000;

  @IntegerSetting({
    name: 'ANONYMOUS_CALLS_PER_SECOND',
    summary: 'The same, a second; twice as many at once.',
    unit: 'calls',
    min: 1,
  })
  readonly anonymousCallsPerSecond: number = 5;
}
