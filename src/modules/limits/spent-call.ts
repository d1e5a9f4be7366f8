import type { Budget } from './call-budget.service.js';

/** A call that was refused before it did anything, or that failed on our side, is free (service document §8). */
export const isFree = (status: number): boolean => status === 401 || status === 403 || status === 429 || status >= 500;

const SPENT = Symbol('budget spent by this request');
type Carrier = object & { [SPENT]?: Budget };

/** Records on the request that it has spent a call, so that the call can be returned if it turns out to be free. */
export function noteSpent(request: object, budget: Budget): void {
  (request as Carrier)[SPENT] = budget;
}

/** Undefined for a request that was not counted. */
export const spentBy = (request: object): Budget | undefined => (request as Carrier)[SPENT];
