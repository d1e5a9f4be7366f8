/**
 * Arrays as PostgreSQL reads them, for `unnest`: written at once for columns whose values need no quotes, which takes a
 * fraction of what it takes the driver to look at each value.
 */
export function arrayOfNumbers(values: readonly (bigint | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** To the millisecond. */
export function arrayOfTimes(values: readonly (Date | null)[]): string {
  return `{${values.map((value) => value?.toISOString() ?? 'NULL').join(',')}}`;
}

/** Any text; what is not plainly a word is quoted. */
export function arrayOfTexts(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`;
}

/** At least one letter or digit first, so that it is never empty; `NULL` would be no text. */
const WORD = /^[A-Za-z0-9][\w:.\-]*$/;

const quoted = (text: string): string =>
  WORD.test(text) && text.toLowerCase() !== 'null' ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
