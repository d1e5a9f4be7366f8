import type { Meter } from '../meter.js';

/** Broken invariants of those who record usage: no caller of the API can cause them, and so they have no code. */
export class UsageWithoutPrice extends Error {
  constructor(meter: Meter, model: string | null | undefined, at: Date) {
    super(
      `There is no price for ${meter}${model === null || model === undefined ? '' : ` of ${model}`} at ${at.toISOString()}.`,
    );
  }
}
