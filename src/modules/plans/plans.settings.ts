import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ChoiceSetting, UrlSetting } from '../../platform/config/setting.js';
import { PLAN_IDS, type PlanId } from './plan.js';

export class PlansSettings extends ModuleSettings {
  @ChoiceSetting({
    name: 'DEFAULT_PLAN',
    summary: 'Plan of new organizations.',
    values: PLAN_IDS,
  })
  readonly defaultPlan: PlanId = 'free';

  @UrlSetting({
    name: 'PRICING_URL',
    summary: 'Where refusals for a limit send people.',
    unset: '`/docs/plans` of this service',
    example: 'https://example.com/pricing',
  })
  private readonly givenPricingUrl?: string;

  /** Without a slash at the end. */
  get pricingUrl(): string {
    return this.givenPricingUrl ?? `${this.config.publicUrl}/docs/plans`;
  }
}
