import { InvalidArgumentError } from 'commander';

/** @throws {InvalidArgumentError} when the text is not a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** @throws {InvalidArgumentError} when the text is not a time such as 10 or 0.5. */
export function seconds(text: string): number {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError('It must be seconds such as 10 or 0.5.');
  return Number(text);
}

/** @throws {InvalidArgumentError} when the text is not an amount of US dollars, such as 25 or 0.50. */
export function dollars(text: string): string {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError('It must be an amount such as 25 or 0.50.');
  return text;
}
