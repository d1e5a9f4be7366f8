import { ValidateBy } from 'class-validator';
import { parseUsd } from '../money/nano-dollars.js';

function nanoOf(value: unknown): bigint | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return parseUsd(value);
  } catch {
    return undefined;
  }
}

/** Validates an amount in dollars as a decimal string, never a number: `"49"`, `"0.000123456"`. */
export const IsUsd = ({ least }: { least: bigint }): PropertyDecorator =>
  ValidateBy({
    name: 'isUsd',
    validator: {
      validate: (value: unknown) => {
        const nano = nanoOf(value);
        return nano !== undefined && nano >= least;
      },
      defaultMessage: (fault) =>
        `${fault?.property ?? 'the amount'} must be a decimal string of US dollars, ` +
        'with at most nine digits before and after the point',
    },
  });
