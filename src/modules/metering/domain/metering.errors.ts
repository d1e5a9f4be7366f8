import type { Meter } from '../meter.js';

/** A module recorded usage that has no price. No caller of the API can cause that, so it has no error code. */
export class UsageWithoutPrice extends Error {
  constructor(meter: Meter, model: string | null | undefined, at: Date) {
    const priced = model === null || model === undefined ? meter : `${meter} of ${model}`;
    super(`No price for ${priced} at ${at.toISOString()}.`);
  }
}

/** A module recorded usage of an archived month, which nobody knows to be new. It has no error code either. */
export class UsageMonthArchived extends Error {
  constructor(month: string) {
    super(`The usage of ${month} is in the archive, and no event can be added to it.`);
  }
}
