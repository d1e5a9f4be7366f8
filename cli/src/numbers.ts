import { InvalidArgumentError } from 'commander';

/** @throws {InvalidArgumentError} when the text is not a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
