import { badValue } from './scim-refusal.js';

const MAX_LENGTH = 255;
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns null for an empty text, which is how providers remove a value. @throws {ScimRefusal} `invalidValue` */
export function textOrNull(value: unknown, name: string, max = MAX_LENGTH): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') throw badValue(`${name} must be a text.`);
  const text = value.trim();
  if (text === '') return null;
  if (text.length > max) throw badValue(`${name} can have ${max} characters.`);
  if (CONTROL.test(text)) throw badValue(`${name} must be one line without control characters.`);
  return text;
}

/** @throws {ScimRefusal} `invalidValue` */
export function requiredText(value: unknown, name: string): string {
  const text = textOrNull(value, name);
  if (text === null) throw badValue(`${name} is required.`);
  return text;
}

/** Microsoft Entra sends `"False"`. @throws {ScimRefusal} `invalidValue` */
export function booleanOf(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw badValue(`${name} must be true or false.`);
}
