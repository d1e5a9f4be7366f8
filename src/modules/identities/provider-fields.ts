import { isEmail } from 'class-validator';

const MAX_NAME = 254;
const MAX_EMAIL = 254;
/** The same form that addresses have which people type. */
const FORM = { allow_utf8_local_part: false };

/** The fields of an object that a provider sent; none for anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** The address and whether the provider has verified it; undefined for what is no address. */
export function emailOf(address: unknown, verified: unknown): { address: string; verified: boolean } | undefined {
  if (typeof address !== 'string' || address.length > MAX_EMAIL || !isEmail(address, FORM)) return undefined;
  return { address, verified: verified === true };
}

/** A name as people may see it: one line, and not too long. */
export function nameOf(...candidates: unknown[]): string {
  const found = candidates
    .filter((each) => typeof each === 'string')
    .map((each) => each.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim())
    .find((each) => each !== '');
  return (found ?? 'unnamed').slice(0, MAX_NAME);
}
