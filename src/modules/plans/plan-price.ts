import { NANO_PER_USD } from '../../platform/money/nano-dollars.js';
import { type PlanId, PLANS } from './plan.js';

/** What a month of the plan costs, in nano-dollars; null where that is agreed on with each customer. */
export function listPriceNano(plan: PlanId): bigint | null {
  const { priceUsdPerMonth } = PLANS[plan];
  return priceUsdPerMonth === null ? null : BigInt(priceUsdPerMonth) * NANO_PER_USD;
}
