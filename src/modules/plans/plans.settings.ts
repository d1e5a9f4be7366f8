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
    summary: 'Page that errors about plan limits link to.',
    unset: '`/pricing` of this service',
    example: 'https://example.com/pricing',
  })
  private readonly givenPricingUrl?: string;

  /** The URL has no slash at the end. */
  get pricingUrl(): string {
    return this.givenPricingUrl ?? `${this.config.publicUrl}/pricing`;
  }
}
