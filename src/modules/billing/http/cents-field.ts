import { ValidateBy } from 'class-validator';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import { NANO_PER_CENT } from '../domain/cents.js';

function isCents(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const nano = parseUsd(value);
    return nano > 0n && nano % NANO_PER_CENT === 0n;
  } catch {
    return false;
  }
}

/** An amount in dollars as a decimal string, above zero and in whole cents. */
export const IsCents = (): PropertyDecorator =>
  ValidateBy({
    name: 'isCents',
    validator: {
      validate: isCents,
      defaultMessage: (fault) =>
        `${fault?.property ?? 'the amount'} must be a decimal string of US dollars, above 0 and in whole cents`,
    },
  });
