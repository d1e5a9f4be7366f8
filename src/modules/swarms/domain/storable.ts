/** The limit of results, inputs and outputs as JSON. */
const MAX_JSON_BYTES = 65_536;

/** PostgreSQL keeps neither a NUL nor half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !/[\0\p{Cs}]/u.test(text);

/** Returns what keeps a value from being stored, as the end of a sentence that begins with the name of the field. */
export function faultOfJson(value: unknown): string | undefined {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'must be a JSON value';
  if (Buffer.byteLength(text) > MAX_JSON_BYTES) return `must be at most ${MAX_JSON_BYTES} bytes of JSON`;
  return hasOnlyStorableText(value) ? undefined : 'must not contain a NUL or half of a surrogate pair';
}

function hasOnlyStorableText(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, each]) => isStorableText(name) && hasOnlyStorableText(each));
}
