import { NANO_PER_USD } from '../../platform/money/nano-dollars.js';
import { type PlanId, PLANS } from './plan.js';

/** Returns the monthly price in nano-dollars, or null when it is agreed on with each customer. */
export function listPriceNano(plan: PlanId): bigint | null {
  const { priceUsdPerMonth } = PLANS[plan];
  return priceUsdPerMonth === null ? null : BigInt(priceUsdPerMonth) * NANO_PER_USD;
}
