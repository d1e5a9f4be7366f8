/** What a person typed as JSON. @throws {Error} that names the field. */
export function jsonIn(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${field} is not valid JSON: ${(error as Error).message}`);
  }
}

/** What a person typed as a JSON object. @throws {Error} that names the field. */
export function objectIn(text: string, field: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(text, field);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${field} must be a JSON object, in braces.`);
  return value as Readonly<Record<string, unknown>>;
}

/** Characters that are not seen, or that change the order of those around them. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A value as JSON in which nothing is hidden: who approves it sees every character. It parses to the same value. */
export const exactJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Any value as a person reads it: text as it is, and all else as JSON. */
export const inText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2);
